import {
  type Database,
  type DatabaseTime,
  type DecisionTransaction,
  hasLease,
  type LeasedWork,
  LeaseLost,
  type Rows,
  type Sealer,
  schedule,
  sealedRows,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { newId, yieldWhenDue } from '@signalman/runtime'
import type { PostedMessage } from '@signalman/slack'
import { sql } from 'kysely'
import type { ShownMessage } from '../../../bot/posts/outbox.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { EventSnapshot } from '../rules/event-snapshot.ts'
import {
  type CardLocation,
  type CasePerson,
  type CaseStepKind,
  type Refusal,
  statusAfterStep,
  type ThreatCase,
  type UndecryptableCase,
} from '../rules/threat-case.ts'
import { CASE, CASE_IN_SLACK, OPEN_SQL, THREAT_CASES, type ThreatCaseRow } from './tables.ts'

/** The durable work that brings the messages about a case up to date, keyed by the case's ID. */
export const POST_CASE = 'threat.case'

/** Replaces an erased person. */
const ERASED_PERSON: CasePerson = { userId: 'erased', name: 'someone' }

interface EventKey {
  readonly workspaceId: string
  readonly environment: Environment
  readonly eventId: string
}

/** What a new case stores about its event. */
export interface NewCase {
  readonly event: EventSnapshot
  readonly severity: number
  readonly domainKey: string
}

/** Starts a case, if the event has none. */
interface CaseStart extends EventKey {
  readonly now: Date
  readonly newCase?: NewCase | undefined
  /** For a case without a card: where its card was posted, or will be. */
  readonly card?: CardLocation | undefined
}

interface StepRequest extends CaseStart {
  readonly kind: CaseStepKind
  readonly by: CasePerson
  readonly text?: string | undefined
  /** For someone else's case: the version that the person saw. */
  readonly seenVersion?: number | undefined
}

/** The encrypted part of a case. */
type Content = Pick<ThreatCase, 'holder' | 'steps' | 'event'>

const sealedCases = sealedRows(THREAT_CASES, {
  toPlain(row: ThreatCaseRow): Omit<UndecryptableCase, 'sealError'> {
    const { holderId: _, sealedAbout: __, channelId, messageTs, threadTs, ...plain } = CASE.parse(row)
    return { ...plain, card: channelId ? { channelId, messageTs, threadTs } : undefined }
  },
  parseContent(json): Content {
    // Cast, because only `toRow` writes it. Times are ISO text.
    const { steps, ...content } = JSON.parse(json) as Content
    return { ...content, steps: steps.map((step) => ({ ...step, at: new Date(step.at) })) }
  },
})

const toRow = (threatCase: ThreatCase, sealer: Sealer): ThreatCaseRow => {
  const { workspaceId, id, holder, steps, event, card } = threatCase
  const content: Content = { holder, steps, event }
  const sealedAbout = sealedCases.seal(content, [workspaceId, id], sealer)
  return CASE.toRow({ ...threatCase, ...card, holderId: holder?.userId, sealedAbout })
}

/** The columns that a step changes. The work that posts the case writes the others, without the lock. */
function stepColumns(threatCase: ThreatCase, sealer: Sealer): Partial<ThreatCaseRow> {
  const slackColumns: readonly string[] = CASE_IN_SLACK.names
  return Object.fromEntries(
    Object.entries(toRow(threatCase, sealer)).filter(([name]) => !slackColumns.includes(name)),
  )
}

function withStep(current: ThreatCase, { kind, by, now, text }: StepRequest): ThreatCase {
  const version = current.version + 1
  // Clocks of processes may differ, but the history must stay in order.
  const at = current.changedAt > now ? current.changedAt : now
  const step = { version, kind, by, at, text }
  return { ...current, version, changedAt: at, steps: [...current.steps, step] }
}

const cardColumns = (card: CardLocation | undefined): Partial<ThreatCaseRow> => ({
  channel_id: card?.channelId ?? null,
  message_ts: card?.messageTs ?? null,
  thread_ts: card?.threadTs ?? null,
  shown_version: 0,
})

/** Which cases to list of those that haven't ended: whose, about which domain, and without which event's. */
interface CaseFilter {
  readonly workspaceId: string
  readonly environment: Environment
  readonly holderId?: string | undefined
  readonly domainKey?: string | undefined
  readonly notEventId?: string | undefined
}

type Lease = Pick<LeasedWork, 'work' | 'owner'>

export type ThreatCases = ReturnType<typeof threatCases>

/** Finds the case of an event. */
async function findIn(
  rows: Rows,
  keys: Sealer,
  { workspaceId, environment, eventId }: EventKey,
): Promise<ThreatCase | undefined> {
  const where = { workspace_id: workspaceId, environment, event_id: eventId }
  return sealedCases.readOne(keys, await selectRows(rows, 'threat_case', where).executeTakeFirst())
}

/**
 * The rows of `threat_case`. What people change is changed only `within` a decision; the work that posts a case records by itself what
 * Slack shows. Throws SealError if an encrypted value can't be decrypted, except in lists.
 */
export function threatCases(database: Database, time: DatabaseTime, keys: Sealer) {
  const { rows, withLock } = database

  const filtered = ({ workspaceId, environment, holderId, domainKey, notEventId }: CaseFilter) =>
    rows
      .selectFrom('threat_case')
      .where((row) => row.and({ workspace_id: workspaceId, environment }))
      // Literals, because the partial index isn't used with parameters.
      .where(sql<boolean>`${sql.raw(OPEN_SQL)}`)
      .$if(holderId !== undefined, (query) => query.where('holder_id', '=', holderId ?? null))
      .$if(domainKey !== undefined, (query) => query.where('domain_key', '=', domainKey ?? ''))
      .$if(notEventId !== undefined, (query) => query.where('event_id', '!=', notEventId ?? ''))

  return {
    within: (decisions: DecisionTransaction) => caseChanges(decisions, time, keys),

    find: (event: EventKey): Promise<ThreatCase | undefined> => findIn(rows, keys, event),

    /** The cases whose card a message is, or has in its thread, oldest first. */
    async listByMessage(
      workspaceId: string,
      { channelId, ts }: PostedMessage,
    ): Promise<(ThreatCase | UndecryptableCase)[]> {
      const where = { workspace_id: workspaceId, channel_id: channelId }
      const found = selectRows(rows, 'threat_case', where)
        .where((row) => row.or([row('message_ts', '=', ts), row('thread_ts', '=', ts)]))
        .orderBy('opened_at')
      return sealedCases.readAll(keys, await found.execute())
    },

    async get(workspaceId: string, id: string): Promise<ThreatCase | undefined> {
      const row = await selectRows(rows, 'threat_case', { id, workspace_id: workspaceId }).executeTakeFirst()
      return sealedCases.readOne(keys, row)
    },

    /** One page, most severe first, then oldest. */
    async list(
      filter: CaseFilter & { limit: number; offset?: number },
    ): Promise<(ThreatCase | UndecryptableCase)[]> {
      const page = filtered(filter)
        .selectAll()
        .orderBy('severity')
        .orderBy('opened_at')
        .orderBy('id')
        .limit(filter.limit)
        .offset(filter.offset ?? 0)
      return sealedCases.readAll(keys, await page.execute())
    },

    async count(filter: CaseFilter): Promise<number> {
      const query = filtered(filter).select(({ fn }) => fn.countAll().as('total'))
      return Number((await query.executeTakeFirstOrThrow()).total)
    },

    /** Stores where the case's card is, and what it and its thread show. Throws LeaseLost, and writes nothing, if `owner` has lost the work. */
    storeShown: ({ id, card }: ThreatCase, shown: readonly ShownMessage[], { work, owner }: Lease) =>
      rows.transaction().execute(async (transaction) => {
        const posted = shown.find(({ key }) => key === 'card')
        const steps = shown.find(({ key }) => key === 'steps')
        // Locks the case first, as every step does, to avoid deadlocks.
        await updateRows(
          transaction,
          'threat_case',
          { id, channel_id: card?.channelId ?? null },
          {
            message_ts: posted?.ts ?? null,
            shown_version: posted?.editedTo ?? posted?.version ?? 0,
            ...(steps && { posted_version: steps.version }),
          },
        )
        if (!(await hasLease(transaction, work.id, owner))) throw new LeaseLost()
      }),

    /** Forgets the card, because its channel no longer accepts it. The next share or step gives the case another one. */
    removeCard: (id: string, { channelId }: CardLocation) =>
      updateRows(rows, 'threat_case', { id, channel_id: channelId }, cardColumns(undefined)),

    /** Erases a person from the cases of a workspace. Of a case that can't be decrypted, only the holder's ID is erased. */
    async erasePerson(
      workspaceId: string,
      userId: string,
    ): Promise<{ erased: number; undecryptable: number }> {
      const counts = { erased: 0, undecryptable: 0 }
      const erase = <P extends CasePerson | undefined>(person: P): P | CasePerson =>
        person?.userId === userId ? ERASED_PERSON : person
      const ids = await rows
        .selectFrom('threat_case')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .execute()
      for (const { id } of ids) {
        await yieldWhenDue()
        const outcome = await withLock(workspaceId, async (transaction) => {
          const row = await selectRows(transaction, 'threat_case', { id }).execute()
          const [threatCase] = await sealedCases.readAll(keys, row)
          if (!threatCase) return undefined
          if ('sealError' in threatCase) {
            const held = { id, holder_id: userId }
            await updateRows(transaction, 'threat_case', held, { holder_id: ERASED_PERSON.userId })
            return 'undecryptable' as const
          }
          const { holder, steps } = threatCase
          if (![holder, ...steps.map(({ by }) => by)].some((person) => person?.userId === userId))
            return undefined
          const erased = {
            ...threatCase,
            holder: erase(holder),
            steps: steps.map((step) => ({ ...step, by: erase(step.by) })),
          }
          await updateRows(transaction, 'threat_case', { id }, stepColumns(erased, keys))
          return 'erased' as const
        })
        if (outcome) counts[outcome] += 1
      }
      return counts
    },
  }
}

/** What people change about cases. */
function caseChanges({ transaction }: DecisionTransaction, time: DatabaseTime, keys: Sealer) {
  const find = (event: EventKey) => findIn(transaction, keys, event)
  const scheduleUpdate = ({ workspaceId, id }: ThreatCase) =>
    schedule(transaction, time, { workspaceId, kind: POST_CASE, key: id })

  async function insert(start: CaseStart & { newCase: NewCase }): Promise<ThreatCase> {
    const { newCase, now, card, workspaceId, environment, eventId } = start
    const started: ThreatCase = {
      ...{ id: newId(), workspaceId, environment, eventId, state: 'open', holder: undefined },
      ...{ ...newCase, version: 0, openedAt: now, changedAt: now, card, steps: [] },
      ...{ shownVersion: 0, postedVersion: 0 },
    }
    await transaction.insertInto('threat_case').values(toRow(started, keys)).execute()
    return started
  }

  return {
    find,

    /** Opens a case whose card someone has shared. A case that has a card keeps it. */
    async share(start: CaseStart & { newCase: NewCase; card: CardLocation }): Promise<void> {
      const current = await find(start)
      if (!current) return void (await insert(start))
      if (!current.card)
        await updateRows(transaction, 'threat_case', { id: current.id }, cardColumns(start.card))
      await scheduleUpdate(current)
    },

    /** Takes a step, and schedules the update of the case's card and thread. */
    async step(request: StepRequest): Promise<ThreatCase | { readonly refusal: Refusal }> {
      const { newCase, card } = request
      const found = await find(request)
      const status = statusAfterStep(found, request)
      if ('refusal' in status) return status
      const current = found ?? (newCase && (await insert({ ...request, newCase })))
      if (!current) return { refusal: 'no-case' as const }
      const next = withStep({ ...current, ...status }, request)
      const isNewCard = !current.card && card
      const columns = { ...stepColumns(next, keys), ...(isNewCard && cardColumns(card)) }
      await updateRows(transaction, 'threat_case', { id: next.id }, columns)
      await scheduleUpdate(next)
      return { ...next, card: current.card ?? card }
    },
  }
}
