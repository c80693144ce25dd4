import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A request, and what openssl 3.0 reads in it. */
export interface RecordedRequest {
  /**
   * What was asked of `openssl req -new`: its subject, extension, key, or digest. openssl can't make the requests from “a common name in
   * a PrintableString” on. These were encoded by hand, and signed. Nobody has the keys.
   */
  name: string
  /** DER, base64. */
  request: string
  /**
   * What `openssl req -text` prints, in this app's words. Its names of attributes, name types, extensions, and usages were replaced,
   * and the values of extensions were left out except for those that web servers have.
   */
  openssl?: { subject?: string; key?: string; signature?: string; names?: string[]; extensions?: string[] }
  /** Why this app shows something else than openssl. What differs is left out of `openssl`. */
  differs?: string
  /** The error with which this app refuses it. */
  refused?: string
}

export const readCorpus = (): RecordedRequest[] =>
  readFileSync(join(import.meta.dirname, 'corpus.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    // Cast, because only rows in this form are added.
    .map((line) => JSON.parse(line) as RecordedRequest)
