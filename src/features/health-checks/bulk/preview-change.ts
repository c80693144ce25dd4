import { clip, oneLine } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Plan } from '../rules/plan.ts'
import type { CheckState } from '../rules/row.ts'
import { explainEmpty } from '../views/list.ts'
import { type Change, findMatching, planChecks } from './plan-checks.ts'
import { preview } from './preview.ts'
import type { BulkDeps } from './start.ts'

/** The checks that a line is about. */
interface FoundChecks extends Pick<Plan, 'notes'> {
  readonly checks: readonly HealthCheck[]
  /** What to say if there are none. */
  readonly none: string
  /** `health checks named web-*`. */
  readonly title: string
}

const MAX_PATTERN_LENGTH = 100

/** Finds the checks whose names match. Throws UserError, also for more than can be changed at once, and ApiError. */
export async function findByPattern(
  context: CommandContext,
  pattern: string,
  max?: number,
): Promise<FoundChecks> {
  const { checks, note, total } = await findMatching((await context.api()).healthChecks, pattern, max)
  const shown = clip(oneLine(pattern), MAX_PATTERN_LENGTH)
  return {
    checks,
    title: pattern === '*' ? 'all health checks' : `health checks named ${shown}`,
    none: explainEmpty({ name: pattern }, { ofKind: 0, total }, context.environment).message,
    notes: note === undefined ? [] : [note],
  }
}

/** Reads one check. Throws ApiError. */
export async function findById(context: CommandContext, uuid: string): Promise<FoundChecks> {
  const check = await (await context.api()).healthChecks.get(uuid)
  return { checks: [check], title: check.name || uuid, none: '' }
}

export interface TypedChange {
  readonly verb: string
  /** What it does, before the checks: `Set frequency to every 30 s on`. */
  readonly does: string
  /** What to say if no check is concerned. */
  readonly none?: string | undefined
  /** Whether the plan needs the recipients of the alerts, too. */
  readonly withAlerts: boolean
  readonly toChange: (state: CheckState) => Change | undefined
}

/** Plans what a line changes about each check, and previews all of it. */
export async function previewChange(
  deps: BulkDeps,
  context: CommandContext,
  { checks, title, ...found }: FoundChecks,
  { verb, does, none, withAlerts, toChange }: TypedChange,
) {
  const api = await context.api()
  const planned = await planChecks(api, checks, toChange, { withAlerts })
  return preview(deps, context, {
    verb,
    title: `${does} ${title}`,
    account: api.account,
    notes: found.notes,
    none: checks.length === 0 ? found.none : none,
    ...planned,
  })
}
