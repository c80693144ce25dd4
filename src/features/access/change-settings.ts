import { AUDIT_RETENTION_DAYS, type Decisions, type Setting } from '@signalman/durable'
import { card, commandButton, type Line, type Message } from '@signalman/slack'
import { GUESTS_CAN_VIEW } from '../../bot/access/access.ts'
import { ALLOWED_SHARED_CHANNELS } from '../../bot/posts/may-post.ts'
import type { ActSteps, DecidingSteps, Requester } from '../../bot/routes/command-context.ts'
import { refuseIfOutdated, replaceSetting, type ShownSetting } from '../../bot/windows/window-states.ts'
import { cmd } from '../../domain/command-names.ts'
import { type AccessDeps, readAccessSettings } from './access-settings.ts'
import { type AccessSettings, sameIds } from './rules/access-settings.ts'

/**
 * Saves the settings. Throws UserError if someone else changed them after the window was opened.
 */
export async function changeSettings(
  deps: AccessDeps,
  context: Requester & ActSteps & DecidingSteps,
  requested: AccessSettings,
  shown: AccessSettings,
): Promise<Message> {
  const current = await context.remember('settings', () => readAccessSettings(deps, context.workspaceId))
  refuseIfOutdated(shown, current, SETTINGS_WINDOW)
  const lines = await saveChanges(deps, context, current, requested)
  return changedView(lines)
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
