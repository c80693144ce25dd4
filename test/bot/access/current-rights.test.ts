import { describe, expect, it } from 'vitest'
import { createSlackClients } from '../../../packages/slack/src/client/clients.ts'
import { openStore } from '../../../src/app/store.ts'
import {
  type Access,
  type AccessRequirement,
  createAccess,
  createRights,
} from '../../../src/bot/access/access.ts'
import { createPeople } from '../../../src/bot/access/actor.ts'
import { createReachability } from '../../../src/bot/access/reachable.ts'
import { createSingleTenancy } from '../../../src/bot/install/tenancy.ts'
import { createMakeContext } from '../../../src/bot/request/context.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { addGrant, removeGrant } from '../../give-role.ts'
import { eitherOf } from '../../long.ts'
import { startSlackStub } from './slack-stub.ts'

const HOME = 'T0HOME'
const ANN = 'U0ANN'
const GROUP = { kind: 'group', id: 'S0APPROVERS' } as const
const PERSON = { kind: 'user', id: ANN } as const
const caller = { workspaceId: HOME, userId: ANN, homeId: HOME, reference: 'r' }
const APPROVE = { needs: 'approver', verb: '/cert-order approve' } as const
const TAKE = { needs: 'viewer', verb: '/hc watch-ack' } as const
/** The clock never advances, so no cached answer expires. Only a new request to Slack shows a change. */
const NOON = new Date('2026-03-01T12:00:00.000Z')

/** Two processes with the same database and the same Slack. Both have just looked up Ann, so their caches are full. */
async function startTwoProcesses(database: TestDatabase) {
  await using disposables = new AsyncDisposableStack()
  const people: Record<string, object> = { [ANN]: { team_id: HOME } }
  const groups: Record<string, readonly string[]> = { [GROUP.id]: [ANN] }
  const slack = disposables.use(await startSlackStub(people, groups))
  const clock = { now: NOON }
  const now = () => clock.now
  const start = async () => {
    const store = disposables.use(await openStore(database))
    const clients = createSlackClients(slack.apiUrl, async () => 'xoxb-stub')
    const { grants, cached } = store
    const refusalLog = { write: async () => undefined }
    const tenancy = createSingleTenancy('xoxb-stub', store)
    const people = createPeople(clients, now)
    const rights = createRights({ people, grants, cached, guestsCanView: false, tenancy })
    const reachability = createReachability({ rights, people, grants, tenancy, clients })
    const access = createAccess({ rights, reachability, refusalLog, tenancy, now })
    // Casts: only these are used.
    const makeContext = createMakeContext({ access, clients, now } as unknown as Parameters<
      typeof createMakeContext
    >[0])
    const request = { ...caller, act: {} } as unknown as Parameters<typeof makeContext>[0]
    const begin = async (requirement: AccessRequirement = APPROVE) =>
      makeContext(request, 'production', await access.authorize(caller, requirement), requirement)
    return { store, access, begin }
  }
  const first = await start()
  const second = await start()
  await addGrant(first.store, HOME, 'approver', GROUP, 'U0ADMIN', NOON)
  // Fills the cache of each process with Slack's answers.
  for (const { access } of [first, second]) {
    await access.authorize(caller, { ...APPROVE, usesCache: true })
    expect(await checkRights(access)).toEqual(YES)
  }
  const resources = disposables.move()
  return {
    first,
    second,
    people,
    groups,
    clock,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Whether Ann may approve, checked in each of the ways that the app checks it. */
async function checkRights(access: Access) {
  const isAuthorized = access.authorize(caller, APPROVE).then(
    () => true,
    () => false,
  )
  return {
    isAuthorized: await isAuthorized,
    hasRole: await access.hasRole(caller, ANN, 'approver', 0),
  }
}

const YES = { isAuthorized: true, hasRole: true }
const NO = { isAuthorized: false, hasRole: false }
type TwoProcesses = Awaited<ReturnType<typeof startTwoProcesses>>

describe.each(eitherOf(SHARED_DATABASES))('a change of a person’s role, on $name', ({ start }) => {
  it.each<{ change: string; apply(processes: TwoProcesses): unknown }>([
    {
      change: 'the grant is removed',
      apply: ({ first }) => removeGrant(first.store, HOME, 'approver', GROUP),
    },
    {
      change: 'they leave the user group',
      apply({ groups }) {
        groups[GROUP.id] = []
      },
    },
    {
      change: 'they leave the user group while the clock is two hours behind',
      apply({ groups, clock }) {
        groups[GROUP.id] = []
        clock.now = new Date(NOON.getTime() - 2 * 3_600_000)
      },
    },
    {
      change: 'they become a guest',
      apply({ people }) {
        people[ANN] = { team_id: HOME, is_restricted: true }
      },
    },
    {
      change: 'Slack doesn’t list the members of the group',
      apply({ groups }) {
        delete groups[GROUP.id]
      },
    },
  ])('removes the role in every process from the next request on: $change', async ({ apply }) => {
    await using database = await start()
    await using processes = await startTwoProcesses(database)
    await apply(processes)
    for (const { access } of [processes.first, processes.second])
      expect(await checkRights(access)).toEqual(NO)
  })

  it.each<{ change: string; apply(processes: TwoProcesses): unknown }>([
    {
      change: 'the grant is removed',
      apply: ({ first }) => removeGrant(first.store, HOME, 'approver', GROUP),
    },
    {
      change: 'they leave the user group',
      apply({ groups }) {
        groups[GROUP.id] = []
      },
    },
  ])(
    'is seen by an act that has already read the roles, and by one for every member: $change',
    async ({ apply }) => {
      await using database = await start()
      await using processes = await startTwoProcesses(database)
      const { first, second } = processes
      const acts = await Promise.all([first.begin(), second.begin(), second.begin(TAKE)])
      const haveRole = async () => Promise.all(acts.map(async (act) => (await act.roles()).has('approver')))
      expect(await haveRole()).toEqual([true, true, true])
      await apply(processes)
      expect(await haveRole()).toEqual([false, false, false])
    },
  )

  it('grants the role in every process from the next request on', async () => {
    await using database = await start()
    await using processes = await startTwoProcesses(database)
    await removeGrant(processes.first.store, HOME, 'approver', GROUP)
    expect(await checkRights(processes.second.access)).toEqual(NO)
    await addGrant(processes.second.store, HOME, 'approver', PERSON, 'U0ADMIN', NOON)
    expect(await checkRights(processes.first.access)).toEqual(YES)
  })
})
