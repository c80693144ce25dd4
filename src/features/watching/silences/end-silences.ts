import { Notice, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { isTypedCheck } from '../../../domain/find-check.ts'
import { requireMayEnd } from '../channel.ts'
import type { WatchStore } from '../rows/watching.ts'
import { inForce, isAbout, type Silence, type SilenceSubject, toSubjectKey } from '../rules/silence.ts'
import { endedSilencesView, listEndings, nameObject, nameSilences, saidEnded } from '../views/silences.ts'
import { describeSubject } from '../views/words.ts'
import { hasSubject, resolveSubject, type TypedChecks } from './subject.ts'

const WATCHES = { label: 'Watches and mutes', line: '/hc watches' }

/**
 * Finds the silences to end. Without a subject, or with `all`, they are the mutes of the channel. A name ends its mutes, or the only
 * maintenance of exactly this name if no mute could be meant. Throws Notice, with a button for each that could be.
 */
async function findSilencesToEnd(
  silences: WatchStore['silences'],
  context: CommandContext,
  typed: TypedChecks,
): Promise<readonly Silence[]> {
  const { workspaceId, environment, channelId = '', now } = context
  const { check: id = '' } = typed.values
  const byId = id === '' ? undefined : await silences.find(workspaceId, id)
  if (byId) return [byId]
  const here = await silences.list(workspaceId, now, { channelId, environment })
  const subject: SilenceSubject = hasSubject(typed)
    ? (findSilenced(here, typed) ?? (await resolveSubject(context, typed)))
    : { kind: 'all' }
  const isAll = subject.kind === 'all'
  const related = here.filter((silence) => isAll || isAbout(silence.subject, subject))
  const named = related.filter((silence) => isAll || toSubjectKey(silence.subject) === toSubjectKey(subject))
  const mutes = named.filter(({ isMaintenance }) => !isMaintenance)
  if (mutes.length > 0) return mutes
  const [only, another] = named
  if (only && !isAll && !another && related.every(({ isMaintenance }) => isMaintenance)) return named
  const nothing = isAll
    ? 'Nothing is muted here'
    : `“${describeSubject(subject)}” isn’t muted here under that name`
  if (related.length === 0) throw new UserError(`${nothing}.`, [WATCHES])
  throw new Notice(`${nothing}, but there is ${nameSilences(related, now)}.`, [
    ...listEndings(related, now),
    WATCHES,
  ])
}

/** The only silenced check with the typed name or UUID. The service may have it no longer, or not respond. */
function findSilenced(here: readonly Silence[], typed: TypedChecks): SilenceSubject | undefined {
  const named = here.flatMap(({ subject }) =>
    subject.kind === 'check' && isTypedCheck(subject, typed.values) ? [subject] : [],
  )
  return new Set(named.map(toSubjectKey)).size === 1 ? named[0] : undefined
}

/** Ends mutes or maintenance: by an ID, or those of a subject in the channel. Throws UserError and Notice. */
export async function endSilences(
  store: Pick<WatchStore, 'silences' | 'within'>,
  context: CommandContext,
  typed: TypedChecks,
): Promise<Message> {
  const { workspaceId, environment, channelId = '', now } = context
  const ending = await context.once('ending', async () => {
    const found = await findSilencesToEnd(store.silences, context, typed)
    const isAdmin = (await context.roles()).has('admin')
    const own = found.filter((silence) => isAdmin || silence.channelId !== undefined)
    if (own.length > 0) {
      await requireMayEnd(
        context,
        own.map((silence) => silence.channelId),
      )
      return own
    }
    await context.recordRefusal({ verb: '/hc unmute', object: nameObject(found) })
    throw new UserError('Only admins can end what is planned for every channel.', [WATCHES])
  })
  const { name = context.userId } = context.actor
  const decision = {
    verb: '/hc unmute',
    object: nameObject(ending),
    objectName: ending.map(({ subject }) => describeSubject(subject)).join(', '),
    after: (done?: readonly Silence[]) =>
      done?.length === 0
        ? 'had already ended'
        : done && done.length < ending.length
          ? { ended: nameObject(done) }
          : undefined,
  }
  const ended = await context.decide<readonly Silence[]>(decision, (decisions) =>
    store.within(decisions).silences.end(
      ending.map(({ id }) => id),
      now,
      (all) => saidEnded(all, now, name),
    ),
  )
  if (ended.length === 0) throw new Notice('It has already ended. Nothing was changed.', [WATCHES])
  const here = await store.silences.list(workspaceId, now, { channelId, environment })
  return endedSilencesView(
    ended,
    inForce(here, channelId, now).map(({ silence }) => silence),
    now,
  )
}
