import { expect, it } from 'vitest'
import { wordsOf } from '../../../src/bot/typed/command-line.ts'
import { createMeantBy, type Phrases } from '../../../src/bot/typed/phrases.ts'

const PHRASES: Phrases = {
  snooze: 'mute',
  pause: ['mute', 'unwatch'],
  'is NAME up|down?': 'show NAME',
  'check NAME every SECONDS': 'edit NAME --frequency SECONDS',
  'history NAME? last|past? week': 'history NAME --days 7',
  'swap ADDRESS TO': 'recipients ADDRESS --replace-with TO',
  'who approved order? N': '/cert-order show N',
  'who NAME': 'alerts NAME',
  'order …': '/cert-order',
}

it.each([
  ['snooze web-* 2h', ['mute web-* 2h']],
  ['SNOOZE "two words" 2h', ['mute "two words" 2h']],
  ['pause web', ['mute web', 'unwatch web']],
  ['is the Shop till still up?', ['show "Shop till"']],
  ['is web', ['show web']],
  ['is "up"', ['show up']],
  ['check Shop till every 30 seconds', ['edit "Shop till" --frequency 30']],
  ['check Shop till every 30s', ['edit "Shop till" --frequency 30']],
  ['history last week', ['history --days 7']],
  ['history of Shop till last week', ['history "Shop till" --days 7']],
  ['history "last week"', undefined],
  ['swap a@b.example with c@d.example', ['recipients a@b.example --replace-with c@d.example']],
  ['who approved #3?', ['/cert-order show 3']],
  ['who approved order 3', ['/cert-order show 3']],
  ['who approved it', ['alerts approved']],
  ['order a certificate', ['/cert-order']],
  ['is --env ote web', undefined],
  ['constructor', undefined],
  ['', undefined],
  [`is ${'a '.repeat(2000)}`, undefined],
] as const)('reads “%s”', (typed, lines) => {
  expect(createMeantBy(PHRASES)(wordsOf(typed))).toEqual(lines)
})
