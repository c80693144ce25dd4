import { Question, UserError } from '@signalman/runtime'
import { seesPersonal } from '../../../bot/access/access.ts'
import type { CommandContext, Rights } from '../../../bot/routes/command-context.ts'

/** Whether this person may see the personal data of a domain's owner, and page files, which may contain them. */
export async function isPrivy(context: Pick<Rights, 'actor'>): Promise<boolean> {
  return seesPersonal(await context.actor())
}

/** Throws UserError for a person who may not see personal data of this event; without its id, for one who may not see cases. */
export async function refuseGuests(
  context: Pick<CommandContext, 'actor' | 'refused'>,
  verb: string,
  id?: string,
): Promise<void> {
  if (await isPrivy(context)) return
  await context.refused({ verb, object: id ? `threat event ${id}` : 'cases of threat events' })
  const what = id
    ? 'Guests do not see the personal data of a domain’s owner, or screenshots and sources of pages, which may show it.'
    : 'Guests see no cases of threat events.'
  throw new UserError(`${what} Ask a member of this workspace.`)
}

/**
 * Personal data go to a channel only after a word about it, however they are asked for. Throws Question where that word is
 * wanting, and UserError for a guest.
 */
export async function admitPersonal(
  context: CommandContext,
  { ids, isShared, isSure }: { ids: readonly string[]; isShared: boolean; isSure: boolean },
): Promise<void> {
  for (const id of ids.slice(0, 1)) await refuseGuests(context, '/threat --whois', id)
  if (!isShared || isSure) return
  const line = `/threat ${ids.join(' ')}`
  throw new Question(
    'Share the personal data of the WHOIS record too? Everyone in the channel would see it.',
    [
      { label: 'Share without it', line: `${line} --share` },
      { label: 'Share personal data', line: `${line} --whois --share --personal --sure` },
    ],
  )
}
