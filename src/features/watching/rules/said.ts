import type { RichTextElement } from '@slack/types'

/** What a person changed, for everyone in the channel. Stored as JSON. */
export interface Said {
  readonly line: readonly RichTextElement[]
  readonly button?: { readonly label: string; readonly line: string } | undefined
}
