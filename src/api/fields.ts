import { asDate } from './dates.ts'
import type { Hide } from './hide.ts'
import { type OddPart, oddText } from './odd-shapes.ts'
import { asBoolean, asList, asNumber, asRecord, asText } from './scalars.ts'

const MAX_PATHS = 100
const MAX_ODD = 100

/** Where a value stands; its path is put together only when there is something to say of it. */
interface Position {
  readonly name: string | number
  readonly parent?: Position | undefined
}

/** What could not be read of one answer: how much, counted to the end, and where the first 100 stand. */
export interface Unread {
  readonly count: number
  /** Such as `data.results[3].port`: names of the interface and numbers, nothing that the service wrote. */
  readonly paths: readonly string[]
}

/** Gathers what is unread while one answer is read. */
export class UnreadParts implements Unread {
  #count = 0
  #paths: string[] = []
  #odd: OddPart[] | undefined
  /** Set by a text that JSON gave as a whole number too long for a double: its last digits are lost. */
  isInexact = false

  get count(): number {
    return this.#count
  }

  get paths(): readonly string[] {
    return this.#paths
  }

  note(position: Position | undefined): void {
    this.#count += 1
    if (this.#paths.length < MAX_PATHS) this.#paths.push(pathOf(position))
  }

  /** The same for a value that came, which is kept where somebody asked for that. */
  noteOdd(position: Position, value: unknown, hide: Hide): void {
    this.note(position)
    if (!this.#odd || this.#odd.length >= MAX_ODD) return
    const { text, isInexact } = oddText(value, hide)
    this.isInexact ||= isInexact
    this.#odd.push({ path: pathOf(position), text })
  }

  /** Keeps parts of the wrong type as they came from now on: the first 100 of them. */
  gatherOdd(): readonly OddPart[] {
    this.#odd = []
    return this.#odd
  }

  clear(): void {
    this.#count = 0
    this.#paths = []
    this.#odd = undefined
    this.isInexact = false
  }
}

/** What goes with every reading of an answer. */
export interface ReadContext {
  readonly hide: Hide
  /** Holds afterwards what could not be read. */
  readonly unread: UnreadParts
}

/** Turns the fields of one object into a value; undefined when it lacks what it cannot do without. */
export type ReadFields<T> = (fields: Fields) => T | undefined

/**
 * The one tolerant reader of an object of the service. A part that is missing or null is undefined. A part of the wrong type
 * is undefined too, and its path is noted. A number or a boolean may be quoted. Names that nobody asks for are not looked at.
 */
export class Fields {
  /** The object as it came; a caller who takes a `value` from it saves the look-up by name, in rows of which there are many. */
  readonly record: Readonly<Record<string, unknown>>
  readonly #context: ReadContext
  readonly #unread: UnreadParts
  readonly #position: Position | undefined

  constructor(record: Record<string, unknown>, context: ReadContext, position?: Position) {
    this.record = record
    this.#context = context
    this.#unread = context.unread
    this.#position = position
  }

  get hide(): Hide {
    return this.#context.hide
  }

  /** What has been noted so far in the whole answer. */
  get unread(): Unread {
    const { count, paths } = this.#unread
    return { count, paths }
  }

  /**
   * From now on, what is of the wrong type anywhere in this answer is kept as it came, in the list that this returns. For
   * answers that hold no secret, and whose reader has to see all that they say.
   */
  gatherOdd(): readonly OddPart[] {
    return this.#unread.gatherOdd()
  }

  text(name: string, value: unknown = this.record[name]): string | undefined {
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
      this.#unread.isInexact = true
    return typeof value === 'string' ? this.#context.hide(value) : this.#converted(name, value, asText)
  }

  /** The text. A part of another type is noted, and returned as it came. */
  textOrRaw(name: string): string | undefined {
    const value = this.record[name]
    if (value === undefined || value === null) return undefined
    return asText(value) === undefined ? this.rawAndNoted(name) : this.text(name)
  }

  /** Notes the part, whatever type it is of, and returns it as it came. */
  rawAndNoted(name: string): string {
    this.#note(name)
    return oddText(this.record[name], this.#context.hide).text
  }

  number(name: string, value: unknown = this.record[name]): number | undefined {
    return typeof value === 'number' && Number.isSafeInteger(value)
      ? value
      : this.#converted(name, value, asNumber)
  }

  boolean(name: string, value: unknown = this.record[name]): boolean | undefined {
    return this.#converted(name, value, asBoolean)
  }

  date(name: string, value: unknown = this.record[name]): Date | undefined {
    return this.#converted(name, value, asDate)
  }

  /** A text that the object cannot do without, such as its id: noted when it is missing, empty or a number, too. */
  requiredText(name: string, value: unknown = this.record[name]): string | undefined {
    if (typeof value === 'string' && value !== '') return this.#context.hide(value)
    this.#note(name)
    return undefined
  }

  /** A whole number of at least 0 that the object cannot do without. */
  requiredCount(name: string): number | undefined {
    const noted = this.#unread.count
    const number = this.number(name)
    if (number !== undefined && number >= 0 && Number.isSafeInteger(number)) return number
    if (this.#unread.count === noted) this.#note(name)
    return undefined
  }

  /** The part read as an object. */
  object<T>(name: string, read: ReadFields<T>): T | undefined {
    const record = this.#converted(name, this.record[name], asRecord)
    return record && read(new Fields(record, this.#context, { name, parent: this.#position }))
  }

  /** The same for an object that this one cannot do without. */
  requiredObject<T>(name: string, read: ReadFields<T>): T | undefined {
    if (this.#isMissing(name)) this.#note(name)
    return this.object(name, read)
  }

  /** The fields of the part where it is an object; nothing is noted where it is anything else. */
  nested(name: string): Fields | undefined {
    const record = asRecord(this.record[name])
    return record && new Fields(record, this.#context, { name, parent: this.#position })
  }

  /** The same as if the part were the whole answer: paths begin there. */
  nestedAsRoot(name: string): Fields | undefined {
    const record = asRecord(this.record[name])
    return record && new Fields(record, this.#context)
  }

  /** The items that can be read, from objects, or also from texts where `ofText` is given. An item that cannot be read is left out. */
  objects<T>(name: string, read: ReadFields<T>, ofText?: (text: string) => T): T[] | undefined {
    return this.#items(name, (item, position) => {
      if (ofText && typeof item === 'string') return ofText(this.#context.hide(item))
      const record = asRecord(item)
      const noted = this.#unread.count
      const value = record && read(new Fields(record, this.#context, position))
      if (value === undefined && this.#unread.count === noted)
        this.#unread.noteOdd(position, item, this.#context.hide)
      return value
    })
  }

  /** The same for a list that the object cannot do without, with the number of items that were sent. */
  requiredObjects<T>(name: string, read: ReadFields<T>): { items: T[]; sent: number } | undefined {
    if (this.#isMissing(name)) this.#note(name)
    const items = this.objects(name, read)
    return items && { items, sent: asList(this.record[name])?.length ?? 0 }
  }

  /** A list of texts; one text alone is a list of one. */
  texts(name: string): string[] | undefined {
    const alone = this.record[name]
    if (typeof alone === 'string') return [this.#context.hide(alone)]
    return this.#items(name, (item, position) => {
      if (typeof item === 'string') return this.#context.hide(item)
      this.#unread.noteOdd(position, item, this.#context.hide)
      return undefined
    })
  }

  #items<T>(name: string, read: (item: unknown, position: Position) => T | undefined): T[] | undefined {
    const list = this.#converted(name, this.record[name], asList)
    if (list === undefined) return undefined
    // All items share this position, since there may be 50,000 of them: a path is put together while its item is read, or never.
    const position = { name: 0, parent: { name, parent: this.#position } }
    const items: T[] = []
    for (const value of list) {
      const item = read(value, position)
      if (item !== undefined) items.push(item)
      position.name += 1
    }
    return items
  }

  #converted<T>(name: string, value: unknown, as: (value: unknown) => T | undefined): T | undefined {
    if (value === undefined || value === null) return undefined
    const converted = as(value)
    if (converted === undefined) this.#note(name)
    return converted
  }

  #isMissing(name: string): boolean {
    return this.record[name] === undefined || this.record[name] === null
  }

  #note(name: string): void {
    const value = this.record[name]
    const position = { name, parent: this.#position }
    if (value === undefined) this.#unread.note(position)
    else this.#unread.noteOdd(position, value, this.#context.hide)
  }
}

function pathOf(position: Position | undefined): string {
  if (!position) return 'the body'
  const { name, parent } = position
  if (typeof name === 'number') return `${parent ? pathOf(parent) : ''}[${name}]`
  return parent ? `${pathOf(parent)}.${name}` : name
}
