import { describe, expect, it } from 'vitest'
import { counter, type Sent } from '../../../bench/parts/postgres-proxy.ts'

function message(type: string, body = ''): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)])
}

describe('what a client of PostgreSQL sends', () => {
  it.each([
    { size: 1000, name: 'in one piece' },
    { size: 3, name: 'in many' },
  ])('is counted $name', ({ size }) => {
    const sent: Sent = { roundTrips: 0, statements: 0, parsed: 0 }
    const count = counter(sent)
    const all = Buffer.concat([
      message('', 'start-up'),
      ...[message('P', 'one'), message('B'), message('E'), message('S')],
      ...[message('B'), message('E'), message('S')],
      message('Q', 'select 1'),
    ])
    for (let at = 0; at < all.length; at += size) count(all.subarray(at, at + size))
    expect(sent).toEqual({ roundTrips: 3, statements: 3, parsed: 2 })
  })
})
