import type { FlagSpecs } from './flags.ts'
import type { Slot } from './slots.ts'

/** What a verb declares about its words. */
export interface WordRules {
  /** As typed: `/hc mute`. */
  readonly line: string
  readonly slots: readonly Slot[]
  readonly flags: FlagSpecs
}

/** A name that the words of a line could be, and the line with it in quotes. */
export interface OtherName {
  readonly name: string
  readonly line: string
}
