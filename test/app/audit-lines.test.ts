import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../world.ts'

const UUID = '3f2a1b4c-0000-4000-8000-000000000001'

/** What an audit row is about, and what its line in the log says of that. */
const OBJECTS: readonly (readonly [string, string | undefined])[] = [
  [`health-check ${UUID} (Kiosk of ann@example.com)`, `health-check ${UUID}`],
  ['order 12', 'order 12'],
  ['watch AbCdEfGhIjKlMnOpQrStUv', 'watch AbCdEfGhIjKlMnOpQrStUv'],
  ['channel C0OPERATNS', 'channel C0OPERATNS'],
  // Names, in the shapes of IDs.
  ['health-check AcmeSecretProject12345', undefined],
  ['health-check ACMESECRET99', undefined],
  ['health-check 4711', undefined],
  ['share /hc list --target ann@example.com', undefined],
  ['ann@example.com', undefined],
  ['', undefined],
]

it('writes a line for each committed audit row, with the ID of its object and nothing that a person typed', async () => {
  await using world = await startWorld()
  const { audit } = world.app.store
  const row = {
    workspaceId: WORKSPACE,
    at: new Date(),
    actor: { userId: 'U0ANN' },
    verb: 'test.row',
  } as const
  for (const [index, [object]] of OBJECTS.entries())
    await audit.append({
      ...{ ...row, outcome: 'done', reference: `row-${index}` },
      ...(object !== '' && { object }),
      ...{ before: { recipients: ['ann@example.com'] }, after: { name: 'Kiosk' } },
    })
  await expect(
    audit.decide(WORKSPACE, async ({ transaction }) => {
      await audit.appendInTransaction(transaction, { ...row, outcome: 'done', reference: 'undone' })
      throw new Error('Undone.')
    }),
  ).rejects.toThrow('Undone')
  const listLines = () =>
    world.log.filter((line) => line.includes('Audit entry') && line.includes('test.row'))
  await expect.poll(() => listLines().length).toBe(OBJECTS.length)
  await audit.flushCopies()
  const entries = listLines().map((line) => JSON.parse(line))
  expect(entries.map(({ reference }) => reference)).toEqual(OBJECTS.map((_, index) => `row-${index}`))
  for (const [index, [, object]] of OBJECTS.entries())
    expect(entries[index].audit).toEqual({
      ...{ sequence: expect.any(Number), verb: 'test.row', outcome: 'done' },
      ...(object !== undefined && { object }),
    })
  expect(listLines().join('')).not.toMatch(/ann@|Kiosk|Acme|ACME|4711/)
})
