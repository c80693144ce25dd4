import { checkMessage } from '@signalman/playground'
import { describe, expect, it } from 'vitest'
import { bindButtons } from '../../../src/bot/bind-buttons.ts'
import { EVERYONE, type Grant, type Subject } from '../../../src/domain/roles.ts'
import { accessView } from '../../../src/features/access/views.ts'

type AccessScreen = Parameters<typeof accessView>[0]

const createIds = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${String(index).padStart(8, '0')}`)
const NOW = new Date('2026-11-20T12:00:00.000Z')
const grantTo = (subject: Subject, changes: Partial<Grant> = {}): Grant => ({
  ...{ workspaceId: 'T1', role: 'operator', subject, grantedBy: 'U1', grantedAt: NOW },
  ...changes,
})
const HOSTILE = '<!channel> *Ann*\n> `all` '.repeat(40)

/** A page of the list, as an admin sees it. */
const createScreen = (changes: Partial<AccessScreen> = {}): AccessScreen => ({
  ...{ rows: [], page: 1, pages: 1, total: 0, guestsCanView: true },
  admins: createIds('U', 50),
  actor: {
    ...{ userId: 'U1', membership: 'member', isFromThisWorkspace: true, isSlackAdmin: false, canView: true },
  },
  ownRoles: new Map([['admin', { kind: 'slack-admin' }]]),
  now: NOW,
  ...changes,
})
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('the list of /hc access', () => {
  const rows = [
    ...createIds('U', 23).map((id) => grantTo({ kind: 'user', id }, { endsAt: NOW })),
    grantTo({ kind: 'group', id: 'S00000001' }),
    grantTo(EVERYONE),
  ].map((grant) => ({ grant, name: HOSTILE, problem: HOSTILE }))

  it.each([
    ['nobody has a role', createScreen()],
    ['a page is full, and names are hostile', createScreen({ rows, pages: 8, total: 200 })],
    ['there is a page before and after it', createScreen({ rows, page: 2, pages: 8, total: 200 })],
    ['it is the last page', createScreen({ rows, page: 8, pages: 8, total: 200 })],
    ['someone without a role reads it', createScreen({ rows, pages: 8, total: 200, ownRoles: new Map() })],
  ])('stays within Slack’s limits, and has at most five controls, if %s', (_label, screen) => {
    const { text, blocks } = accessView(screen)
    const checked = checkMessage(asJson({ text, blocks: bindButtons(blocks, 'production') }), 4000)
    expect(checked).toHaveProperty('blocks')
    const controls = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))
    expect(controls.length).toBeLessThanOrEqual(5)
  })

  it('doesn’t tell a guest how to give a role, whatever they were given before', () => {
    const guest = { ...createScreen().actor, membership: 'guest' as const }
    expect(accessView(createScreen({ actor: guest })).text).not.toContain('/hc grant')
  })

  it.each([
    [30, 'U00000029>.'],
    [31, 'and 1 more.'],
  ])('names %i admins to ask, or counts those it leaves out', (count, end) => {
    const { text } = accessView(createScreen({ admins: createIds('U', count), ownRoles: new Map() }))
    expect(text).toContain(end)
  })
})
