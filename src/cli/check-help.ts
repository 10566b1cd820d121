/** The text of `check --help`. */
export const checkHelp = `express-rest-conventions check <base url> [flags]

Checks whether a running service, written in any language, follows each clause that can be tested from
outside. Only --write, --disposable and --cleanup send methods other than GET, HEAD and OPTIONS. <base url>
is the address in front of the paths of the service's OpenAPI document, such as https://api.example.com/v1.

  --document <source>    the OpenAPI 3.0 or 3.1 document: a file or an address (default: openapi.json
                         or openapi.yaml below <base url>)
  --target <file>        a file with facts about the service and its callers, in place of a document
  --init <file>          writes a target file from the document, and checks nothing
  --token <variables>    environment variables with tokens, such as ADMIN_TOKEN,READER_TOKEN. The
                         first one must be able to read everything
  --token-command <cmd>  a command that prints the first token, in place of a variable
  --header <name>        the header field that carries the token (default: Authorization, with Bearer)
  --published <url>      the address with which links begin, if it is not <base url>
  --direct <url>         the address of the service without the gateway: each violation is also checked
                         there, and the report says whether the gateway is the cause
  --only <ids>           clauses or checks, such as QUERY-7,HDR-4/item
  --rate <number>        requests per second (default: 50, or 10 with --production)
  --budget <number>      the maximum number of requests (default: 3000)
  --write                also creates, changes and removes records, but only its own
  --production           sends nothing that could lock accounts, exhaust limits or overload the service: no
                         altered tokens, no races, no large bodies, at most 10 requests a second
  --disposable           for a service whose data can be lost: as --write, and also DELETE, PUT and PATCH
                         of collections, writes without credentials, and logins with wrong passwords
  --ledger <file>        the file that lists each record before --write creates it (default:
                         check-ledger.jsonl)
  --cleanup              only removes the records that an earlier run with --write has left
  --dry-run              prints the planned checks, and sends requests only to fetch the document
  --json                 prints the report as JSON
  --junit <file>         writes the report as JUnit XML
  --sarif <file>         writes the report as SARIF 2.1.0, for code scanning
  --html <file>          writes the report as one HTML file, which needs no network
  --markdown <file>      writes a summary for pull requests; - prints it in place of the report
  --clauses-url <url>    the address of a page with an anchor for each clause, for SARIF
  --scripts <folder>     writes a script of curl commands for each violation that a script can reproduce
  --baseline <file>      accepts the violations in this file until their dates; all others fail
  --write-baseline <file>  writes a baseline of the current violations. It keeps the entries of
                         --baseline, except those that are fixed or obsolete
  --until <day>          the last day on which the new entries of --write-baseline are accepted
  --help                 this text

Exit codes: 0, no violations except accepted ones; 1, violations; 2, the command could not run, or
nothing could be checked, for example because the service is unreachable.

  npx express-rest-conventions check https://api.example.com/v1 --token API_TOKEN
  npx express-rest-conventions check http://localhost:8080 --document ./openapi.yaml --scripts ./breaks
`
