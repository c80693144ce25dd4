import { findEmoji } from '../../protocol/emoji.ts'
import type { Match } from './nodes.ts'

const EMOJI_AT = /:([a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?):/y

/** Matches an emoji's `:name:` that starts exactly at `index`. */
export function matchEmoji(source: string, index: number): Match | undefined {
  if (source[index] !== ':') return undefined
  EMOJI_AT.lastIndex = index
  const [raw = '', name = ''] = EMOJI_AT.exec(source) ?? []
  return findEmoji(name) === undefined ? undefined : { node: { kind: 'emoji', name }, length: raw.length }
}
