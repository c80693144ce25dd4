import { describe, expect, it } from 'vitest'
import { createSlackClients } from '../../../packages/slack/src/client/clients.ts'
import { openStore } from '../../../src/app/store.ts'
import { type Access, createAccess } from '../../../src/bot/access/access.ts'
import { createPeople } from '../../../src/bot/access/actor.ts'
import { createSingleTenancy } from '../../../src/bot/install/tenancy.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { startSlackStub } from './slack-stub.ts'

const HOME = 'T0HOME'
const ANN = 'U0ANN'
const GROUP = { kind: 'group', id: 'S0APPROVERS' } as const
const PERSON = { kind: 'user', id: ANN } as const
const place = { workspaceId: HOME, userId: ANN, homeId: HOME, reference: 'r' }
const APPROVE = { needs: 'approver', verb: '/cert-order approve' } as const
/** The clocks stand still, so only asking Slack again shows a change. */
const NOON = new Date('2026-03-01T12:00:00.000Z')

/** Two processes with one database and one Slack. Both have just looked Ann up. */
async function startTwoProcesses(database: TestDatabase) {
  await using started = new AsyncDisposableStack()
  const people: Record<string, object> = { [ANN]: { team_id: HOME } }
  const groups: Record<string, readonly string[]> = { [GROUP.id]: [ANN] }
  const slack = started.use(await startSlackStub(people, {}, groups))
  const clock = { now: NOON }
  const now = () => clock.now
  const start = async () => {
    const store = started.use(await openStore(database))
    const clients = createSlackClients(slack.apiUrl, async () => 'xoxb-stub')
    const { grants, cached, settings } = store
    const refusalLog = { write: async () => undefined }
    const tenancy = createSingleTenancy('xoxb-stub', store)
    const people = createPeople(clients, now)
    const access = createAccess({ people, grants, cached, settings, refusalLog, tenancy, now })
    return { store, access }
  }
  const one = await start()
  const other = await start()
  await one.store.grants.add(HOME, 'approver', GROUP, 'U0ADMIN', NOON)
  // Fills the cache of each process with Slack's answers.
  for (const { access } of [one, other]) {
    await access.admit(place, { ...APPROVE, usesCache: true })
    expect(await checkRights(access)).toEqual(YES)
  }
  const resources = started.move()
  return { one, other, people, groups, clock, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Whether Ann may approve: in her own request, in someone else's act, and with Slack asked again. */
async function checkRights(access: Access) {
  const isAdmitted = access.admit(place, APPROVE).then(
    () => true,
    () => false,
  )
  const isConfirmed = access.hasRoleOrThrow(place, ANN, 'approver').catch(() => 'Slack is down')
  return {
    isAdmitted: await isAdmitted,
    hasRole: await access.hasRole(place, ANN, 'approver', 0),
    isConfirmed: await isConfirmed,
  }
}

const YES = { isAdmitted: true, hasRole: true, isConfirmed: true }
const NO = { isAdmitted: false, hasRole: false, isConfirmed: false }
type TwoProcesses = Awaited<ReturnType<typeof startTwoProcesses>>

describe.each(SHARED_DATABASES)('a change of a person’s role, on $name', ({ start }) => {
  it.each<{ how: string; lose(two: TwoProcesses): unknown; may?: object }>([
    { how: 'the role is removed', lose: ({ one }) => one.store.grants.remove(HOME, 'approver', GROUP) },
    {
      how: 'they leave the user group',
      lose({ groups }) {
        groups[GROUP.id] = []
      },
    },
    {
      how: 'they leave it while the clock is two hours behind',
      lose({ groups, clock }) {
        groups[GROUP.id] = []
        clock.now = new Date(NOON.getTime() - 2 * 3_600_000)
      },
    },
    {
      how: 'they become a guest',
      lose({ people }) {
        people[ANN] = { team_id: HOME, is_restricted: true }
      },
    },
    {
      how: 'Slack doesn’t list the members of the group',
      lose({ groups }) {
        delete groups[GROUP.id]
      },
      may: { ...NO, isConfirmed: 'Slack is down' },
    },
  ])(
    'takes effect in every process with the next request when the role is lost: $how',
    async ({ lose, may = NO }) => {
      await using database = await start()
      await using two = await startTwoProcesses(database)
      await lose(two)
      for (const { access } of [two.one, two.other]) expect(await checkRights(access)).toEqual(may)
    },
  )

  it('takes effect in every process as soon as the role is granted', async () => {
    await using database = await start()
    await using two = await startTwoProcesses(database)
    await two.one.store.grants.remove(HOME, 'approver', GROUP)
    expect(await checkRights(two.other.access)).toEqual(NO)
    await two.other.store.grants.add(HOME, 'approver', PERSON, 'U0ADMIN', NOON)
    expect(await checkRights(two.one.access)).toEqual(YES)
  })
})
