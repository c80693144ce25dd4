import { FieldErrors, UserError } from '@signalman/runtime'
import { isDirect, say } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import type { Arguments } from '../../../bot/typed/command-line.ts'
import { buildInputs, readWindow, unlessTouched } from '../../../bot/typed/window-of-fields.ts'
import { hashVersion } from '../../../bot/windows/window-states.ts'
import type { Environment } from '../../../domain/environment.ts'
import { channelAsked, mayKnow } from '../channel.ts'
import { matchingChecks, withCheck } from '../find-checks.ts'
import { inEnvironment, type WatchParts } from '../keep-watch.ts'
import type { WatchStore } from '../rows/watching.ts'
import { ASKED, parseWatch, termsOf, valuesOf, type WatchValues } from '../rules/watch-fields.ts'
import { refuseOlder, savedWatch } from '../saved-watch.ts'
import { previewView } from '../views/preview.ts'
import { placeLink } from '../views/words.ts'

/** What a window of a watch shows and remembers: all of its values, its place among them. */
type WatchDraft = WatchValues & { env: Environment; channel: string }

/**
 * Asks what a channel watches, and how. Sending it in saves nothing: a preview comes first, with a button that saves it. An
 * input that nobody touched gives back what it was opened with, also where it could not show all of it.
 */
export const watchForm = form({
  id: 'watching.watch',
  title: 'Watch',
  button: 'Preview',
  verb: '/hc watch-edit',
  needs: 'operator',
  working: 'Looking for health checks that match…',
  isMarked: true,
  asks: (_, about: WatchDraft) => ({
    about,
    blocks: [
      say(
        `Signalman posts in ${isDirect(about.channel) ? 'your direct messages' : placeLink(about.channel)} when these health checks go down and recover. You’ll see a preview before anything is saved.`,
      ),
      ...buildInputs(ASKED, about),
    ],
  }),
  read(answers) {
    const filled = readWindow(ASKED, answers)
    try {
      termsOf(filled.values)
      return filled
    } catch (error) {
      throw error instanceof UserError ? new FieldErrors({ name: error.message }) : error
    }
  },
  async submit(context, filled, about, parts: WatchParts) {
    const { env, channel, replace, seen } = about
    const values = { ...unlessTouched(ASKED, filled, about), env, channel, replace, seen }
    const there = inEnvironment(context, env)
    refuseOlder(seen, await savedWatch(parts.watching, { ...there, channelId: channel }, replace), values)
    const terms = termsOf(values)
    return previewView({ terms, values, matching: await matchingChecks(there, terms.filter) })
  },
})

const WATCH_ID = /^[\w-]{22}$/

/** Opens the window of a watch: of an existing one by its id, or with the typed values. Throws UserError. */
export async function openWatch(
  store: Pick<WatchStore, 'watches' | 'digests'>,
  context: CommandContext,
  args: Arguments,
): Promise<Modal> {
  const [id = ''] = args.words
  const isKnown = WATCH_ID.test(id)
  const { values, named } = isKnown
    ? { values: { replace: id } as WatchValues, named: undefined }
    : parseWatch(args)
  const { replace, seen } = values
  const watch = replace === undefined ? undefined : await store.watches.find(context.workspaceId, replace)
  if (replace !== undefined && !(watch && (await mayKnow(context))(watch)))
    throw new UserError('This watch has ended.')
  const place = watch ?? {
    environment: context.environment,
    channelId: await channelAsked(context, values),
  }
  const saved = await savedWatch(store, { ...place, workspaceId: context.workspaceId }, replace)
  refuseOlder(seen, saved, values)
  const { timeZone = 'UTC' } = await context.actor()
  const terms = isKnown && watch ? watch : await withCheck(context, { values, named })
  return watchForm.open(place.environment, {
    digest: saved.digest?.hour ?? 'off',
    zone: saved.digest?.timeZone ?? timeZone,
    ...values,
    ...valuesOf(terms),
    env: place.environment,
    channel: place.channelId,
    me: undefined,
    seen: hashVersion(saved),
  })
}
