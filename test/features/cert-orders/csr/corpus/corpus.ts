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

/** A request as people make it with openssl, and paste it, each with a mistake or without one. */
export interface PastedRequest {
  /** The mistake. */
  name: string
  /** The options of `openssl req -new`. The key is on the curve P-256 if none is named. */
  made: string
  /** What people should read about it, which was decided before: a warning, or why it's refused. Empty if it has no mistake. */
  reads: string
  text: string
}

// Cast, because only rows in this form are added.
const readRows = <Row>(file: string): Row[] =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)

export const readCorpus = () => readRows<RecordedRequest>('corpus.jsonl')
export const readPasted = () => readRows<PastedRequest>('people.jsonl')
