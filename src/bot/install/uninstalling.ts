import { SealError, type WorkKind } from '@signalman/durable'
import { createReference, HOUR_MS, type Log } from '@signalman/runtime'
import { type Caller, isOrganization, type Request, type SlackClients } from '@signalman/slack'
import type { Stored } from '../stored.ts'
import type { Tenancy } from './tenancy.ts'

type UninstallRequest = Extract<Request, { kind: 'uninstalled' }>
type UninstallEvent = UninstallRequest['event']

/** Whether a bot token still works, in one workspace of an organization where that is asked; `unknown` when Slack cannot be asked. */
export type Probe = (botToken: string, workspaceId?: string) => Promise<'alive' | 'dead' | 'unknown'>

export type Uninstalling = ReturnType<typeof createUninstalling>

/** Who acts when Slack itself says that the app is gone. */
const SYSTEM = 'system'
const KIND = 'uninstall'
/** Once an hour, for three days. */
const MOST_ASKED = 72

/**
 * Wipes what a workspace, or an organization with all its workspaces, has entrusted to the app, when Slack says that the app or its
 * token is gone and the token says so too: an event may be late, and then is about an installation before. Either event is enough, in
 * any order and number.
 */
export function createUninstalling(parts: {
  store: Stored
  tenancy: Pick<Tenancy, 'botTokenOf'>
  clients: SlackClients
  probe: Probe
  log: Log
  now: () => Date
}) {
  const { store, tenancy, clients, probe, log, now } = parts
  const { installations, organizations } = store

  /** Forgets what is there, and says so in the audit log of the workspace (or organization) once. */
  async function forget(id: string, event: UninstallEvent, reference: string): Promise<void> {
    const actor = { userId: SYSTEM }
    const auditEvent = { workspaceId: id, actor, verb: 'uninstall', object: event, reference }
    const forgotten = await store.forgetWorkspace(id, { ...auditEvent, at: now(), outcome: 'begun' })
    clients.forget()
    const done = { ...auditEvent, at: now(), before: forgotten, outcome: 'done' } as const
    // Two processes may forget it side by side: one of them says so.
    if (!(await store.audit.appendOutcome(done))) {
      const hadIntent = forgotten.installations + forgotten.connections > 0
      if (hadIntent || Object.values(forgotten).every((rows) => rows === 0)) return
      await store.audit.append(done)
    }
    log.info({ reference, workspace: id, event, ...forgotten }, 'A workspace was forgotten.')
  }

  /** True when the token no longer works, or there is none that opens. Where that cannot be found out, it is asked again later; throws. */
  async function isGone(event: UninstallEvent, installed: string, workspaceId?: string): Promise<boolean> {
    const token = await tenancy.botTokenOf({ workspaceId: installed }).catch((error: unknown) => {
      if (error instanceof SealError) return undefined
      throw error
    })
    const state = token === undefined ? 'dead' : await probe(token, workspaceId)
    if (state === 'unknown') {
      const key = [event, installed, workspaceId].join(' ').trim()
      await store.work.ensure({ workspaceId: '', kind: KIND, key }, HOUR_MS)
      throw new Error('Slack could not be asked whether the token of the app still works.')
    }
    return state === 'dead'
  }

  /** What is left in the organization stays, and so does a workspace that has installed the app by itself. */
  async function leave(event: UninstallEvent, organization: string, workspaceId: string, reference: string) {
    if (await installations.summary(workspaceId)) return
    if (!(await isGone(event, organization, workspaceId))) return
    await organizations.leave(workspaceId)
    await forget(workspaceId, event, reference)
  }

  async function end(event: UninstallEvent, id: string, reference: string): Promise<void> {
    if (!(await isGone(event, id))) {
      log.info({ reference, workspace: id, event }, 'An uninstall was ignored: the token works.')
      return
    }
    for (const workspaceId of isOrganization(id) ? await organizations.workspacesOf(id) : [])
      if (!(await installations.summary(workspaceId))) await forget(workspaceId, event, reference)
    await forget(id, event, reference)
  }

  return {
    /** Throws when the token could not be asked, or the wipe not be done: Slack then says it again. */
    async told(request: UninstallRequest, { reference }: Pick<Caller, 'reference'>): Promise<void> {
      const { event, leaves, origin } = request
      if (event !== 'team_access_revoked') {
        const id = await meantBy(store, request)
        if (id !== undefined) await end(event, id, reference)
        return
      }
      await withEach(leaves, async (workspaceId) => {
        const organization = (await organizations.of(workspaceId)) ?? origin.enterpriseId
        if (organization !== undefined) await leave(event, organization, workspaceId, reference)
      })
    },
    /** Asks the token again, for Slack repeats an event for an hour or two at most. */
    kind: askingAgain({ leave, end }, log),
  }
}

/** Of each it is asked, and asked again later, also where the truth of another one is not known. Throws the first error then. */
async function withEach<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const failed: unknown[] = []
  for (const one of all) await work(one).catch((error: unknown) => failed.push(error))
  if (failed.length > 0) throw failed[0]
}

/** The installation that Slack means: it may name a workspace although the app was taken out of its whole organization. */
async function meantBy(
  { installations, organizations }: Pick<Stored, 'installations' | 'organizations'>,
  { origin }: UninstallRequest,
): Promise<string | undefined> {
  const { installationId, enterpriseId, workspaceId = '' } = origin
  const named = [installationId, enterpriseId, await organizations.of(workspaceId)]
  // Found without opening a token: one that does not open is wiped like any other.
  for (const id of named) if (id !== undefined && (await installations.summary(id))) return id
  return installationId
}

interface Ends {
  leave(event: UninstallEvent, organization: string, workspaceId: string, reference: string): Promise<void>
  end(event: UninstallEvent, id: string, reference: string): Promise<void>
}

/** The work of asking Slack later. */
const askingAgain = ({ leave, end }: Ends, log: Log): WorkKind => ({
  kind: KIND,
  lane: 'maintenance',
  mostAttempts: MOST_ASKED,
  async run({ work }) {
    // As `isGone` has written it.
    const [event, id = '', workspaceId] = (work.key ?? '').split(' ') as [UninstallEvent, string?, string?]
    const reference = createReference()
    try {
      await (workspaceId ? leave(event, id, workspaceId, reference) : end(event, id, reference))
    } catch (error) {
      if (work.attempts < MOST_ASKED) return { state: 'waiting', dueInMs: HOUR_MS }
      log.error({ workspace: workspaceId ?? id, event, err: error }, STAYS)
    }
    // A later event begins it anew.
    return { state: 'stopped' }
  },
})

const STAYS =
  'Slack said that the app was taken out, and could not be asked whether that is so: what is stored of the workspace stays. signalman erase-workspace takes it out.'
