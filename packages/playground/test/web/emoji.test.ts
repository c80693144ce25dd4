import { describe, expect, it } from 'vitest'
import { findEmoji, listEmoji } from '../../src/protocol/emoji.ts'

describe('the emoji of the page', () => {
  it.each([
    ['tada', '🎉'],
    ['+1', '👍'],
    ['heart', '❤️'],
    ['rainbow-flag', '🏳️‍🌈'],
    // In other emoji sets, `ok` is a check mark.
    ['ok', '🆗'],
    ['wave::skin-tone-2', '👋🏻'],
    ['male-technologist::skin-tone-3', '👨🏼‍💻'],
    // Not everything has a skin.
    ['rocket::skin-tone-3', undefined],
    ['constructor', undefined],
  ])(':%s: is %s', (name, emoji) => expect(findEmoji(name)).toBe(emoji))

  it('include all of Slack’s emoji', () => {
    expect(listEmoji().size).toBeGreaterThan(1900)
    expect([...listEmoji().values()].filter((emoji) => /\uFE0F\uFE0F/.test(emoji))).toEqual([])
  })
})
