import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveOwn, splitCommand } from '../../src/bot/routes/lines.ts'
import { tellCommand, writeCommand } from '../../src/domain/write-command.ts'
import { ANY_CHARACTER } from '../any-character.ts'
import { loadVerbs } from '../bot/grammar/real-verbs.ts'
import { findUnreadLines } from '../read-told-lines.ts'

const routes = await loadVerbs()
const read = (line: string) => resolveOwn(routes, splitCommand(line))

describe('a line that the app writes', () => {
  it('is read with the parts that it was written from', () => {
    const names = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 40 }),
      fc.constantFrom('down', '2h', 'all', 'csv', '--add', 'a "b" c', 'web*', 'help'),
    )
    fc.assert(
      fc.property(
        names,
        fc.constantFrom('production' as const, 'ote' as const, undefined),
        (typed, environment) => {
          const name = typed.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
          fc.pre(name !== '')
          const line = read(writeCommand('/hc alerts', { name, flags: { page: 2 }, environment }))
          expect(line.args.values.check ?? line.args.values.uuid).toBe(name)
          expect(line.args.flags.page).toBe('2')
          expect(line.environment).toBe(environment)
        },
      ),
    )
  })

  it('names OTE to people, and production only on buttons', () => {
    expect(tellCommand('/hc import', { environment: 'ote' })).toBe('/hc import --env ote')
    expect(tellCommand('/hc import', { environment: 'production' })).toBe('/hc import')
    expect(writeCommand('/hc import', { environment: 'production' })).toBe('/hc import --env production')
  })
})

it('finds the lines of buttons and menus that the strict reader refuses', async () => {
  const shows = (...values: string[]) => {
    const elements = values.map((value) => ({ type: 'button', value }))
    // Cast: only the lines are read.
    const person = { state: async () => ({ messages: { C1: [{ blocks: [{ elements }] }] } }) }
    return { member: person, admin: person } as unknown as Parameters<typeof findUnreadLines>[0]
  }
  expect(await findUnreadLines(shows('/hc export "down" --env ote', '/cert-order show 1'))).toEqual([])
  const unread = await findUnreadLines(shows('/cert-order answer 1', '/hc list --nope'))
  expect(unread).toHaveLength(2)
})
