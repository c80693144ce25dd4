import { FieldErrors, UserError } from '@signalman/runtime'
import { lineText, mrkdwnSection } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { form } from '../../../bot/forms/form.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import { buildInputs, keepUnchanged, readWindow } from '../../../bot/typed/field-window.ts'
import { requireChannel, requireMember } from '../channel.ts'
import { nameChecks, resolveWatchSettings, searchChecks } from '../find-checks.ts'
import { requireWatch } from '../find-watches-to-end.ts'
import { FILTER } from '../rules/filter-fields.ts'
import {
  hashSettings,
  parseWatch,
  SETTING_FIELDS,
  toSettings,
  toWatchValues,
  type WatchValues,
} from '../rules/watch-fields.ts'
import { refuseStaleWindow, saveWatch, type WatchDeps } from '../save-watch.ts'
import { channelLink } from '../views/words.ts'

/** The values in the watch window, and the channel that it was opened for. */
type WatchDraft = WatchValues & { channel: string }

/** The window to create or change a watch. An input that wasn't edited keeps its full initial value, even if Slack displayed only part of it. */
export const watchForm = form({
  id: 'watching.watch',
  title: 'Watch',
  button: 'Save',
  verb: '/hc watch',
  needs: 'operator',
  workingText: 'Saving the watch…',
  showsOteLabel: true,
  content: (_, formState: WatchDraft) => ({ formState, blocks: windowBlocks(formState) }),
  options: async (context, field, typed) => (field === FILTER.uuid.flag ? searchChecks(context, typed) : []),
  read(answers) {
    const filled = readWindow(SETTING_FIELDS, answers)
    try {
      toSettings(filled.values)
      return filled
    } catch (error) {
      throw error instanceof UserError ? new FieldErrors({ name: error.message }) : error
    }
  },
  async submit(context, filled, formState, deps: WatchDeps) {
    const { channel, replace, shownVersion } = formState
    const values = {
      ...keepUnchanged(SETTING_FIELDS, filled, formState),
      channel,
      replace,
      shownVersion,
    }
    const typed = { values, check: undefined, isConfirmed: false, isSure: false }
    return saveWatch(deps, context, typed)
  },
})

function windowBlocks(formState: WatchDraft): KnownBlock[] {
  return [
    mrkdwnSection(
      `Signalman posts in ${lineText(channelLink(formState.channel))} when these health checks go down and recover.`,
    ),
    ...buildInputs(SETTING_FIELDS, formState),
  ]
}

const WATCH_ID = /^[\w-]{22}$/

/** Opens the window for an existing watch by its ID, or for a new watch with the typed values. Throws UserError. */
export async function openWatch(
  { watching, pollMs }: Pick<WatchDeps, 'watching' | 'pollMs'>,
  context: CommandContext,
  args: Arguments,
): Promise<Modal> {
  const [id = ''] = args.words
  const isWatchId = WATCH_ID.test(id)
  const { values, check } = isWatchId
    ? { values: { replace: id } as WatchValues, check: undefined }
    : parseWatch(args, pollMs)
  const { replace, shownVersion } = values
  const watch = replace === undefined ? undefined : await requireWatch(watching, context, replace)
  const target = watch ?? {
    environment: context.environment,
    channelId: requireChannel(context, values),
  }
  await requireMember(context, target.channelId)
  if (watch) refuseStaleWindow(shownVersion, watch)
  const [named] = isWatchId && watch ? await nameChecks(context, [watch], watch.environment) : []
  const settings = named ?? (await resolveWatchSettings(context, { values, check }))
  return watchForm.open(target.environment, {
    ...values,
    ...toWatchValues(settings),
    channel: target.channelId,
    shownVersion: watch && hashSettings(watch),
  })
}
