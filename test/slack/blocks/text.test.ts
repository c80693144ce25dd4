import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clip,
  clipMrkdwn,
  literal,
  mrkdwn,
  oneLine,
  plain,
  visible,
} from '../../../packages/slack/src/blocks/text.ts'
import { ANY_CHARACTER } from '../../any-character.ts'

describe('clip', () => {
  it.each([
    { text: 'short', max: 10, clipped: 'short' },
    { text: 'exactly ten', max: 11, clipped: 'exactly ten' },
    { text: 'one too long', max: 11, clipped: 'one too lo…' },
    { text: 'flag 🇩🇰🇩🇰', max: 10, clipped: 'flag 🇩🇰…' },
    { text: 'family 👨‍👩‍👧‍👦 here', max: 12, clipped: 'family …' },
  ])('shortens "$text" to "$clipped"', ({ text, max, clipped }) => {
    expect(clip(text, max)).toBe(clipped)
  })

  it('never exceeds the limit and never splits a code point', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: ANY_CHARACTER, maxLength: 200 }),
        fc.integer({ min: 2, max: 100 }),
        (text, max) => {
          const clipped = clip(text, max)
          expect(clipped.length).toBeLessThanOrEqual(max)
          expect(clipped.isWellFormed()).toBe(true)
        },
      ),
    )
  })

  it('splits a letter with thousands of accents at a code point', () => {
    expect(clip(`a${'\u0301'.repeat(5000)}`, 100)).toHaveLength(100)
  })
})

describe('text that other people wrote', () => {
  it.each([
    { name: 'a right-to-left override', text: 'a\u202eb', shown: 'a[U+202E]b' },
    { name: 'a null', text: 'a\u0000b', shown: 'a[U+0000]b' },
    { name: 'a zero-width space', text: 'a\u200bb', shown: 'a[U+200B]b' },
    { name: 'half a surrogate pair', text: 'a\ud800b', shown: 'a\ufffdb' },
    { name: 'a carriage return', text: 'a\r\nb', shown: 'a\nb' },
    { name: 'a family of four', text: '👨‍👩‍👧‍👦', shown: '👨‍👩‍👧‍👦' },
  ])('shows $name safely', ({ text, shown }) => {
    expect(visible(text)).toBe(shown)
  })

  it.each([
    { text: '<!channel>', sent: '&lt;!channel&gt;' },
    { text: '<@U123>', sent: '&lt;@\u2060U123&gt;' },
    { text: '&amp;', sent: '&amp;amp;' },
    { text: ':skull:', sent: ':\u2060skull:' },
    { text: ':𠀀x:', sent: ':\u2060𠀀x:' },
    { text: '*bold* snake_case 10:30', sent: '*\u2060bold* snake_case 10:30' },
    { text: 'https://evil.example', sent: 'https:\u2060//evil.example' },
    { text: '@here', sent: '@\u2060here' },
    { text: '日本@here', sent: '日本@\u2060here' },
    { text: 'web@channel!', sent: 'web@\u2060channel!' },
    { text: 'evil.example@here.', sent: 'evil.example@\u2060here.' },
    { text: 'ann@here.example', sent: 'ann@here.example' },
  ])('never becomes markup: $text', ({ text, sent }) => {
    expect(literal(text)).toBe(sent)
  })

  it('has every markup character escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        expect(literal(text)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
      }),
    )
  })

  it('fits on one line on request', () => {
    expect(oneLine(' a\n\t b\u2028c ')).toBe('a b[U+2028]c')
  })
})

describe('text objects', () => {
  it('are never empty, because Slack rejects that', () => {
    expect(plain('', 10).text).toBe('–')
    expect(plain(' \n ', 10).text).toBe('–')
  })

  it('keep emoji codes as typed, and create no links', () => {
    expect(plain(':tada:', 10)).toEqual({ type: 'plain_text', text: ':tada:', emoji: false })
    expect(mrkdwn('*ours*', 10)).toEqual({ type: 'mrkdwn', text: '*ours*', verbatim: true })
  })
})

describe('clipMrkdwn', () => {
  it.each([
    { text: 'abcdef', max: 6, clipped: 'abcdef' },
    { text: 'abcdefg', max: 6, clipped: 'abcde…' },
    { text: 'ab &amp; cd', max: 7, clipped: 'ab …' },
    { text: 'ab &lt;x', max: 6, clipped: 'ab …' },
    { text: 'ab <!date^1^{date}|x> cd', max: 10, clipped: 'ab …' },
    { text: 'a <b> <c> d e f', max: 10, clipped: 'a <b> <c>…' },
  ])('cuts $text at $max to $clipped', ({ text, max, clipped }) => {
    expect(clipMrkdwn(text, max)).toBe(clipped)
  })

  it('never leaves half an entity', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), fc.integer({ min: 2, max: 60 }), (text, max) => {
        const clipped = clipMrkdwn(literal(`<&>${text}`), max)
        expect(clipped.length).toBeLessThanOrEqual(max)
        expect(clipped).not.toMatch(/&(?!amp;|lt;|gt;)/)
      }),
    )
  })
})
