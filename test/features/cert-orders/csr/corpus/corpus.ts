import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A request, and what openssl 3.0 says about it: `openssl req -inform DER -noout -text -verify -nameopt
 * utf8,esc_2253,esc_ctrl,sep_comma_plus,sname,dump_nostr,dump_unknown,dump_der`, without the lines that are only hexadecimal bytes.
 *
 * The first rows were made with `openssl req -new`; each is named for its extension, its subject, or its key. openssl can't make the
 * rows from “a common name in a PrintableString” on, so they were encoded by hand, and signed. Nobody has the keys.
 */
export interface RecordedRequest {
  name: string
  /** DER, base64. */
  request: string
  verifies: boolean
  text: string
}

export const readCorpus = (): RecordedRequest[] =>
  readFileSync(join(import.meta.dirname, 'corpus.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    // Cast, because only rows in this form are added.
    .map((line) => JSON.parse(line) as RecordedRequest)
