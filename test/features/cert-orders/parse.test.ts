import { expect, it } from 'vitest'
import { readOrderNumber, splitReason } from '../../../src/features/cert-orders/parse.ts'

it.each([
  ['shop.example.com wrong domain', 'shop.example.com', 'wrong domain'],
  ['shop.example.com', 'shop.example.com', ''],
  ['*.shop.example.com: too wide', '*.shop.example.com', 'too wide'],
  ['shop.example.com, not ours', 'shop.example.com', 'not ours'],
  ['shop.example.com - key too short, use 4096', 'shop.example.com', 'key too short, use 4096'],
  ['"shop.example.com" not ours', 'shop.example.com', 'not ours'],
  ['“shop.example.com”; not ours', 'shop.example.com', 'not ours'],
  ['Not ours: shop.example.com', '', 'Not ours: shop.example.com'],
  ['"Too long," he said', '', '"Too long," he said'],
  ['- too weak', '', 'too weak'],
  ['2.5 years is too long', '', '2.5 years is too long'],
  ['4096-bit key needed', '', '4096-bit key needed'],
  ['order was placed twice', '', 'order was placed twice'],
  ['', '', ''],
])('splits what follows reject: %s', (rest, name, reason) => {
  expect(splitReason({ rest })).toEqual({ number: undefined, name, reason })
})

it('reads an order’s number in any spelling, and keeps only the reason behind it', () => {
  const before = ['', 'order ', 'Order ', 'no. ', 'no.', 'number ', 'order no. ']
  const after = ['', ':', ',', ' -', ' —', '.', ')']
  for (const word of before)
    for (const hash of ['', '#'])
      for (const separator of after)
        for (const reason of ['', ' PO missing', ' shop.example.com is not ours']) {
          const rest = `${word}${hash}2${separator}${reason}`
          expect(splitReason({ rest }), rest).toEqual({ number: '2', name: '', reason: reason.trim() })
          expect(readOrderNumber({ rest }), rest).toEqual({ number: '2', rest: reason.trim() })
        }
  expect(splitReason({ number: '2', rest: '- 3 names' })).toEqual({
    ...{ number: '2', name: '', reason: '3 names' },
  })
})
