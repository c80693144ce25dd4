import { checkView } from '@signalman/playground'
import { describe, expect, it } from 'vitest'
import { modalView } from '../../../packages/slack/src/blocks/modal.ts'
import { readAnswers } from '../../../packages/slack/src/receive/view-state.ts'
import { accessForm, readAccess } from '../../../src/features/access/forms.ts'
import type { AccessSettings } from '../../../src/features/access/rules/access-settings.ts'
import type { AccessRequest } from '../../../src/features/access/rules/requests.ts'
import { findWaitingRequest, withRequest } from '../../../src/features/access/rules/requests.ts'
import { bindButtons } from '../../slack/blocks/bound.ts'

const createIds = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${String(index).padStart(8, '0')}`)
const NOBODY = { people: [], groups: [], everyone: false }
const createSettings = (changes: Partial<AccessSettings['roles']> = {}): AccessSettings => ({
  roles: { operator: NOBODY, approver: NOBODY, admin: NOBODY, ...changes },
  temporaryRoles: [],
  guestsCanView: false,
  allowedSharedChannels: [],
  auditRetentionDays: 0,
})
const createGroups = (count: number) =>
  createIds('S', count).map((id, index) => ({ id, handle: `team-${index}`, name: '<!channel> '.repeat(20) }))

const NOW = new Date('2026-11-20T12:00:00.000Z')
const createRequest = (changes: Partial<AccessRequest> = {}): AccessRequest => ({
  id: 'r1',
  role: 'operator',
  userId: 'U00000001',
  at: NOW.toISOString(),
  adminMessages: [],
  ...changes,
})

describe('the modal of /hc access', () => {
  it.each([
    { label: 'no grants and no groups', state: createSettings(), groups: [] },
    {
      label: 'no list of groups, because Slack didn’t return one',
      state: createSettings(),
      groups: undefined,
    },
    {
      label: '1,000 people, a deleted group, and 100 groups',
      state: createSettings({
        operator: { people: createIds('U', 1000), groups: ['S99999999'], everyone: true },
      }),
      groups: createGroups(100),
    },
    {
      label: '5,000 groups, all of them selected',
      state: createSettings({ admin: { ...NOBODY, groups: createIds('S', 5000) } }),
      groups: createGroups(5000),
    },
    {
      label: 'a retention period that isn’t in the menu',
      state: { ...createSettings(), auditRetentionDays: 17 },
      groups: [],
    },
  ])('stays within Slack’s limits with $label', ({ state, groups }) => {
    const requests = Array.from({ length: 200 }, (_, index) => createRequest({ id: `r${index}` }))
    const { formState: _, ...parts } = accessForm.open('production', state, requests, groups)
    const boundBlocks = bindButtons(parts.blocks.flat())
    const view = JSON.parse(JSON.stringify(modalView({ ...parts, blocks: boundBlocks })))
    expect(checkView(view, ['modal'])).toMatchObject({ view: {} })
  })

  it('reads chosen groups as IDs and typed groups as handles, and ignores absent fields', () => {
    const formValues = readAccess(
      readAnswers({
        'operator-groups': { answer: { selected_options: [{ value: 'S1' }] } },
        'approver-groups': { answer: { value: '@on-call, web;  @db' } },
        'admin-people': { answer: { selected_users: ['U1'] } },
        retention: { answer: { selected_option: { value: '90' } } },
      }),
    )
    expect(formValues.roles.operator.groups).toEqual({ ids: ['S1'] })
    expect(formValues.roles.approver.groups).toEqual({ handles: ['@on-call', 'web', '@db'] })
    expect(formValues.roles.admin).toEqual({ people: ['U1'], everyone: false, groups: undefined })
    expect(formValues.roles.operator.people).toBeUndefined()
    expect(formValues.auditRetentionDays).toBe(90)
  })
})

describe('requests for access', () => {
  it('keep the same person from requesting the same role again for a day', () => {
    const later = new Date(NOW.getTime() + 25 * 3_600_000)
    const newerRequest = createRequest({ id: 'r2', at: later.toISOString() })
    expect(findWaitingRequest([createRequest()], newerRequest, NOW)?.id).toBe('r1')
    expect(
      withRequest([createRequest()], { ...newerRequest, at: NOW.toISOString() }, NOW).map(({ id }) => id),
    ).toEqual(['r1'])
    expect(withRequest([createRequest()], newerRequest, later).map(({ id }) => id)).toEqual(['r2'])
  })

  it('allow a new request after 20 minutes if no admin was notified of the first', () => {
    const adminMessages = [{ channelId: 'D1', ts: '1.0' }]
    const soon = new Date(NOW.getTime() + 20 * 60_000)
    const newerRequest = createRequest({ id: 'r2', at: soon.toISOString() })
    expect(findWaitingRequest([createRequest({ adminMessages })], newerRequest, soon)?.id).toBe('r1')
    expect(withRequest([createRequest()], newerRequest, soon).map(({ id }) => id)).toEqual(['r2'])
  })

  it('are limited to 200, and decided ones are removed first', () => {
    let requests: readonly AccessRequest[] = []
    const decision = { by: 'U1', at: NOW.toISOString(), isApproval: true, reference: 'r' }
    const add = (userId: string) => {
      requests = withRequest(requests, createRequest({ id: userId, userId }), NOW)
    }
    for (const userId of createIds('U', 150)) add(userId)
    requests = requests.map((request, index) => (index % 3 === 0 ? request : { ...request, decision }))
    for (const userId of createIds('W', 150)) add(userId)
    expect(requests).toHaveLength(200)
    expect(requests.filter((request) => request.decision === undefined)).toHaveLength(200)
    expect(() => add('U99999999')).toThrow('200 requests for access are already waiting for an admin')
  })

  it('expire after 30 days', () => {
    const add = (days: number) => {
      const at = new Date(NOW.getTime() + days * 86_400_000)
      const newerRequest = createRequest({ id: 'r2', userId: 'U00000002', at: at.toISOString() })
      return withRequest([createRequest()], newerRequest, at).map(({ id }) => id)
    }
    expect(add(29)).toEqual(['r1', 'r2'])
    expect(add(31)).toEqual(['r2'])
  })
})
