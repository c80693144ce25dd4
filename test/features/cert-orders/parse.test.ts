import { expect, it } from 'vitest'
import { splitReason } from '../../../src/features/cert-orders/parse.ts'

it.each([
  ['shop.example.com wrong domain', 'shop.example.com', 'wrong domain'],
  ['shop.example.com', 'shop.example.com', ''],
  ['*.shop.example.com: too wide', '*.shop.example.com', 'too wide'],
  ['shop.example.com, not ours', 'shop.example.com', 'not ours'],
  ['"shop.example.com" not ours', 'shop.example.com', 'not ours'],
  ['“shop.example.com”; not ours', 'shop.example.com', 'not ours'],
  ['Not ours: shop.example.com', '', 'Not ours: shop.example.com'],
  ['"Too long," he said', '', '"Too long," he said'],
  ['', '', ''],
])('splits what follows reject: %s', (typed, name, reason) => {
  expect(splitReason(typed)).toEqual({ name, reason })
})
