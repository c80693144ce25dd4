import { UserError } from '@signalman/runtime'
import { clip, LIMITS } from '@signalman/slack'
import type { Requester, Rights } from '../../../bot/routes/command-context.ts'
import { readTyped } from '../../../domain/typed-text/typed-address.ts'
import { isMember } from '../audience.ts'
import { findDomainCases } from '../cases/same-domain.ts'
import type { StoredThreats } from '../dependencies.ts'
import { HELP, noIdsText, requireOnlyIds } from '../parse.ts'
import { findIds, writeEventCommand } from '../rules/ids.ts'
import { describeState } from '../views/case.ts'

/** The IDs that were typed for a verb, at most `max`. Throws UserError if there are none, more, or other words. */
export async function requireIds(
  cases: StoredThreats,
  context: Requester & Rights,
  { verb, words, max = 1 }: { verb: string; words: readonly string[]; max?: number },
): Promise<string[]> {
  const found = findIds(words)
  if (found.ids.length === 0) throw await explainNoIds(cases, context, verb, found.otherWords)
  requireOnlyIds(verb, found, max)
  return found.ids
}

/** The same, for a verb about one event. */
export async function requireId(
  cases: StoredThreats,
  context: Requester & Rights,
  verb: string,
  words: readonly string[],
): Promise<string> {
  const [id = ''] = await requireIds(cases, context, { verb, words })
  return id
}

/** Explains that the service finds events only by ID. For a domain or a URL, names the cases of the domain. */
export async function explainNoIds(
  { threatCases }: StoredThreats,
  context: Requester & Rights,
  verb: string,
  otherWords: readonly string[],
): Promise<UserError> {
  // `exa dot mple` is one address in three words.
  const typed = [otherWords.join(' '), ...otherWords].map(readTyped)
  const hosts = typed.flatMap((word) => (word.kind === 'text' ? [] : [word.host]))
  const text = noIdsText(verb, otherWords)
  if (hosts.length === 0 || !isMember(context)) return new UserError(text, [HELP])
  const { environment } = context
  const [open, ended] = await Promise.all(
    [false, true].map((isEnded) => findDomainCases(threatCases, context, hosts, { isEnded })),
  )
  const cases = [...(open ?? []), ...(ended ?? [])]
  const shown = cases.slice(0, MAX_CASES_SHOWN)
  if (shown.length === 0) return new UserError(`${text}\nNo case has this domain.`, [HELP])
  const heading = cases.length === 1 ? 'A case has this domain:' : `${cases.length} cases have this domain:`
  const lines = shown.map(({ event, ...threatCase }) => `${event.lines[0]} · ${describeState(threatCase)}`)
  return new UserError(
    [text, heading, ...lines].join('\n'),
    shown.map(({ event, eventId }) => ({
      label: clip(event.lines[0] ?? eventId, LIMITS.buttonText),
      line: writeEventCommand('', eventId, { environment }),
    })),
  )
}

const MAX_CASES_SHOWN = 4
