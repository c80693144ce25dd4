import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Modal } from '../../bot/routes/routes.ts'
import type { Arguments } from '../../bot/typed/command-line.ts'
import type { Watch } from '../../domain/watching/watch.ts'
import { UserError } from '../../errors.ts'
import type { WatchStore } from '../../store/store.ts'
import { watchModal } from './forms/watch.ts'
import { parseWatch, type WatchLine } from './parse/watch-line.ts'

type Kept = Pick<WatchStore, 'watches' | 'digests'>

/** Opens the window of a watch: of an existing one by its id, or with the typed values. Throws UserError. */
export async function openWatch(store: Kept, context: CommandContext, args: Arguments): Promise<Modal> {
  const [id] = args.words
  return id !== undefined && !id.includes('*')
    ? changing(store, context, id)
    : making(store, context, parseWatch(args))
}

async function changing(store: Kept, context: CommandContext, id: string): Promise<Modal> {
  const watch = await store.watches.find(context.workspaceId, id)
  if (!watch) throw new UserError('This watch has ended meanwhile.')
  const { digest, timeZone } = await digestOf(store, context, watch)
  return watchModal({ terms: watch, digest, timeZone, replaces: watch.id }, watch.environment)
}

async function making(store: Kept, context: CommandContext, typed: WatchLine): Promise<Modal> {
  const { terms, replaces } = typed
  const present = await digestOf(store, context, context)
  const digest = typed.digest ?? present.digest
  const timeZone = (digest !== 'off' && digest.timeZone) || present.timeZone
  return watchModal({ terms, digest, timeZone, replaces }, context.environment)
}

async function digestOf(
  { digests }: Kept,
  context: CommandContext,
  { channelId, environment }: Pick<CommandContext, 'channelId' | 'environment'> | Watch,
) {
  const [{ timeZone: own = 'UTC' }, found] = await Promise.all([
    context.actor(),
    channelId ? digests.list(context.workspaceId, { channelId }) : [],
  ])
  const digest = found.find((one) => one.environment === environment)
  return { digest: digest ?? ('off' as const), timeZone: digest?.timeZone ?? own }
}
