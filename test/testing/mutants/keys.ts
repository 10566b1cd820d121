/**
 * Wrong adapters, with errors in repeated creates. A create is repeated if an earlier create had
 * the same idempotency id.
 */
import type { AdapterCall } from '../../../src/adapters/contract.js'
import { PlainAdapter } from '../plain-adapter.js'
import type { Item } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

class LooksThenKeeps extends PlainAdapter {
  override async create(value: unknown, call: AdapterCall) {
    const known = await this.recall(call)
    if (known !== undefined) return typeof known === 'string' ? known : { created: known }
    await this.pause()
    const made = this.made(value, call)
    await this.pause()
    if ('created' in made) this.keep(call, made.created)
    return made
  }
}

class ForgetsFingerprints extends PlainAdapter {
  override known({ idempotency }: AdapterCall) {
    const kept = idempotency && this.store.kept.get(idempotency.id)
    return kept && this.given(kept.item)
  }
}

class BlindToCase extends PlainAdapter {
  override known(call: AdapterCall) {
    return super.known(lower(call))
  }

  override keep(call: AdapterCall, item: Item): void {
    super.keep(lower(call), item)
  }
}

const lower = (call: AdapterCall): AdapterCall =>
  call.idempotency === undefined
    ? call
    : { ...call, idempotency: { ...call.idempotency, id: call.idempotency.id.toLowerCase() } }

class RepeatsWhatIsStored extends PlainAdapter {
  override known(call: AdapterCall) {
    const kept = super.known(call)
    return typeof kept === 'object' ? this.store.rows.get(this.text(this.definition.key.of(kept.value))) : kept
  }
}

class KeepsRefusals extends PlainAdapter {
  override async create(value: unknown, call: AdapterCall) {
    const answer = await super.create(value, call)
    if (typeof answer === 'object' && 'refused' in answer) this.keep(call, { value: {}, version: '' })
    return answer
  }
}

class AttachesAgain extends PlainAdapter {
  override async create(value: unknown, call: AdapterCall) {
    const answer = await super.create(value, call)
    if (typeof answer === 'object' && 'created' in answer && call.attachTo !== undefined)
      await this.attach(call.attachTo, this.definition.key.of(answer.created.value), undefined, call)
    return answer
  }
}

class RemembersMistakes extends PlainAdapter {
  override async recall(call: AdapterCall) {
    return (await super.recall(call)) ?? ('mismatched' as const)
  }
}

class ForgetsRecords extends PlainAdapter {
  override erase(text: string): void {
    super.erase(text)
    for (const [id, { item }] of this.store.kept)
      if (this.text(this.definition.key.of(item.value)) === text) this.store.kept.delete(id)
  }
}

export const keyMutants: readonly Mutant[] = [
  mutant('looks up the idempotency id, waits, and then creates', ['races/keys', 'races/keys-given'], LooksThenKeeps),
  mutant('ignores the fingerprint of a repeated create', ['keys/mismatched'], ForgetsFingerprints),
  mutant('ignores the case of idempotency ids', ['keys/assigned', 'keys/unknown'], BlindToCase),
  mutant('returns the current record for a repeated create', ['keys/changed', 'keys/removed'], RepeatsWhatIsStored),
  mutant('forgets the idempotency ids of removed records', ['keys/removed'], ForgetsRecords),
  mutant('stores a refused create under its idempotency id', ['keys/refused'], KeepsRefusals),
  mutant('attaches again on a repeated create', ['keys/attached'], AttachesAgain),
  mutant('reports a mismatch for an unknown idempotency id', ['keys/unknown'], RemembersMistakes),
  altered('runs a repeated create as a new create', ['keys/repeated', 'keys/assigned'], (base) => ({
    known: () => undefined,
    store: base.store,
  })),
]
