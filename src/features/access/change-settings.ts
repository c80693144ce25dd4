import { AUDIT_RETENTION_DAYS, type Decisions, type Setting } from '@signalman/durable'
import { DAY_MS, HOUR_MS, Question } from '@signalman/runtime'
import { card, commandButton, type Line, type Message, utc } from '@signalman/slack'
import { GUESTS_CAN_VIEW } from '../../bot/access/access.ts'
import { ALLOWED_SHARED_CHANNELS } from '../../bot/posts/may-post.ts'
import { ButtonTooOld } from '../../bot/request/buttons.ts'
import type { ActSteps, DecidingSteps, Requester } from '../../bot/routes/command-context.ts'
import { refuseIfOutdated, replaceSetting, type ShownSetting } from '../../bot/windows/window-states.ts'
import { cmd } from '../../domain/command-names.ts'
import { pluralize } from '../../domain/wording.ts'
import { type AccessDeps, readAccessSettings } from './access-settings.ts'
import { type AccessSettings, sameIds } from './rules/access-settings.ts'

/** A submitted form, stored until the admin confirms that older audit entries are deleted. */
interface StoredChange {
  requested: AccessSettings
  shown: AccessSettings
  /** The number of audit entries that are deleted. */
  olderRows: number
}

/** Saves a form after the admin confirmed that audit entries are deleted. */
export async function saveConfirmed(
  deps: AccessDeps,
  context: Requester & ActSteps & DecidingSteps,
  stateId: string,
): Promise<Message> {
  // Only `createDeletionQuestion` stores these, so the type is known.
  const stored = (await deps.ephemeralState.find(context.workspaceId, stateId, context.now)) as
    | StoredChange
    | undefined
  if (!stored) throw new ButtonTooOld({ unknown: 'what was chosen' })
  return changeSettings(deps, context, stored.requested, stored.shown, true)
}

/**
 * Saves the settings. Throws UserError if someone else changed them after the window was opened. Throws Question if the retention
 * period would delete audit entries, unless the admin agreed to delete them.
 */
export async function changeSettings(
  deps: AccessDeps,
  context: Requester & ActSteps & DecidingSteps,
  requested: AccessSettings,
  shown: AccessSettings,
  hasAgreedToDelete = false,
): Promise<Message> {
  const current = await context.remember('settings', () => readAccessSettings(deps, context.workspaceId))
  refuseIfOutdated(shown, current, SETTINGS_WINDOW)
  const { auditRetentionDays: days } = requested
  if (
    !hasAgreedToDelete &&
    days > 0 &&
    (current.auditRetentionDays === 0 || days < current.auditRetentionDays)
  ) {
    const older = await context.remember('older entries', () => countOlderEntries(deps, context, days))
    if (older.rows > 0)
      throw await createDeletionQuestion(
        deps,
        context,
        { requested, shown, olderRows: older.rows },
        days,
        older.now,
      )
  }
  const lines = await saveChanges(deps, context, current, requested)
  return changedView(lines)
}

/** `now` is the time according to the database, in milliseconds. */
async function countOlderEntries({ audit }: AccessDeps, { workspaceId }: Requester, days: number) {
  const { rows, now } = await audit.countOlderThan(workspaceId, days)
  return { rows, now: now.getTime() }
}

async function createDeletionQuestion(
  { ephemeralState }: AccessDeps,
  { workspaceId, now }: Requester,
  body: StoredChange,
  days: number,
  databaseNow: number,
): Promise<Question> {
  const expiresAt = new Date(now.getTime() + HOUR_MS)
  const stateId = await ephemeralState.save({ workspaceId, body, expiresAt })
  const entries = pluralize(body.olderRows, 'audit entry', 'audit entries')
  return new Question(
    `Keeping the audit log for ${days} days permanently deletes ${entries} from before ${utc(new Date(databaseNow - days * DAY_MS))}. Nothing was saved yet. To keep a copy, export them first with ${cmd('/hc audit')} --export.`,
    [{ label: `Save and delete ${entries}`, line: `/hc access-confirm ${stateId}`, replaces: true }],
  )
}

const SHARED_CHANNELS_LABEL = 'Shared channels where threat events and orders are allowed'

const guestsLine = (canView: boolean): string => (canView ? 'Guests can view.' : 'Guests can’t see anything.')

const SETTINGS_WINDOW = {
  line: '/hc access-settings',
  toSettings: ({
    guestsCanView,
    allowedSharedChannels,
    auditRetentionDays,
  }: AccessSettings): ShownSetting[] => [
    [guestsLine(guestsCanView), guestsCanView],
    [
      `${SHARED_CHANNELS_LABEL}: ${allowedSharedChannels.length || 'none'}.`,
      allowedSharedChannels.toSorted(),
    ],
    [
      `Audit log retention: ${auditRetentionDays ? `${auditRetentionDays} days` : 'unlimited'}.`,
      auditRetentionDays,
    ],
  ],
}

const saveAudited = <T>(
  { decide }: DecidingSteps,
  object: string,
  audited: { before: unknown; after: unknown },
  step: (decisions: Decisions) => Promise<T>,
) => decide({ verb: '/hc access-settings', object, ...audited }, step)

async function saveChanges(
  { settings, redrawHomes }: AccessDeps,
  context: Requester & ActSteps & DecidingSteps,
  current: AccessSettings,
  requested: AccessSettings,
): Promise<Line[]> {
  const replace = <T>(decisions: Decisions, setting: Setting<T>, values: { before: T; newValue: T }) =>
    replaceSetting(settings, decisions, setting, { ...values, conflictMessage: conflictText() })
  const lines: Line[] = []
  if (current.guestsCanView !== requested.guestsCanView) {
    const [before, after] = [current, requested].map(({ guestsCanView }) => ({ guestsCanView }))
    await saveAudited(context, 'what guests can see', { before, after }, (decisions) =>
      replace(decisions, GUESTS_CAN_VIEW, {
        before: current.guestsCanView,
        newValue: requested.guestsCanView,
      }),
    )
    // Guests who have App Home open see the change right away.
    await redrawHomes(context.workspaceId)
    lines.push(guestsLine(requested.guestsCanView))
  }
  if (!sameIds(current.allowedSharedChannels, requested.allowedSharedChannels)) {
    const audited = { before: current.allowedSharedChannels, after: requested.allowedSharedChannels }
    await saveAudited(
      context,
      'shared channels where threat events and orders are allowed',
      audited,
      (decisions) =>
        replace(decisions, ALLOWED_SHARED_CHANNELS, {
          before: current.allowedSharedChannels,
          newValue: requested.allowedSharedChannels,
        }),
    )
    lines.push(`${SHARED_CHANNELS_LABEL}: ${requested.allowedSharedChannels.length || 'none'}`)
  }
  if (current.auditRetentionDays !== requested.auditRetentionDays) {
    const [before, after] = [current, requested].map(({ auditRetentionDays }) => ({
      days: auditRetentionDays || 'unlimited',
    }))
    await saveAudited(context, 'how long the audit log is kept', { before, after }, (decisions) =>
      replace(decisions, AUDIT_RETENTION_DAYS, {
        before: current.auditRetentionDays,
        newValue: requested.auditRetentionDays,
      }),
    )
    lines.push(
      `Audit log retention: ${requested.auditRetentionDays ? `${requested.auditRetentionDays} days` : 'unlimited'}`,
    )
  }
  return lines
}

const conflictText = (): string =>
  `Another change was saved at the same time, so yours wasn’t saved. Press Settings in ${cmd('/hc access')} again.`

const changedView = (lines: readonly Line[]): Message =>
  card({
    headline:
      lines.length === 0 ? 'Nothing changed, so there was nothing to save.' : 'Saved. In effect from now on:',
    notes: lines,
    controls: [commandButton('Settings', '/hc access-settings'), commandButton('Audit log', '/hc audit')],
  })
