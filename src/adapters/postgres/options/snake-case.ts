/**
 * Returns the default column of a member: `fechaDeEntrada` becomes `fecha_de_entrada`, and
 * `cpDestinoID` becomes `cp_destino_id`.
 */
export function snakeCase(member: string): string {
  return member
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .toLowerCase()
}
