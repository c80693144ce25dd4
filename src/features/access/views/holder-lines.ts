import type { KnownBlock, RichTextElement } from '@slack/types'
import { utc } from '../../../blocks/dates.ts'
import { group, paragraph, person, richText, words } from '../../../blocks/rich-text.ts'
import { type GivenRole, ROLE_MEANS } from '../../../domain/roles.ts'
import type { Holders } from '../holders.ts'
import type { GivenRights } from '../rights.ts'

/** As text that a notification carries and as rich text; mentions notify nobody where only one person reads them. */
export interface RightsLine {
  text: string
  elements: RichTextElement[]
}

/** At most so many people or groups are named in a line. */
export const NAMED = 30

export const said = (text: string): RightsLine => ({ text, elements: [words(text)] })

/** What is no user's id is written as it is: Slack would refuse the whole message. */
export const personLine = (userId: string): RightsLine =>
  /^[UW][A-Z0-9]+$/.test(userId) ? { text: `<@${userId}>`, elements: [person(userId)] } : said(userId)

const groupLine = (groupId: string): RightsLine => ({
  text: `<!subteam^${groupId}>`,
  elements: [group(groupId)],
})

/** The lines one behind the other. */
export const joined = (...lines: readonly RightsLine[]): RightsLine => ({
  text: lines.map(({ text }) => text).join(''),
  elements: lines.flatMap(({ elements }) => elements),
})

/** With commas between them. */
export const listed = (lines: readonly RightsLine[]): RightsLine =>
  joined(...lines.flatMap((line, index) => (index === 0 ? [line] : [said(', '), line])))

/** Several lines under each other, in one block. */
export const linesBlock = (...lines: readonly RightsLine[]): KnownBlock =>
  richText(
    paragraph(...joined(...lines.flatMap((line, i) => (i === 0 ? [line] : [said('\n'), line]))).elements),
  )

/** Everyone, groups, people; nobody. */
export function holdersLine({ everyone, groups, people }: Holders): RightsLine {
  const all = [
    ...(everyone ? [said('everyone in this workspace but guests')] : []),
    ...groups.map(groupLine),
    ...people.map(personLine),
  ]
  if (all.length === 0) return said('nobody yet')
  const more = all.length - NAMED
  return listed(more > 0 ? [...all.slice(0, NAMED), said(`and ${more} more`)] : all)
}

export const roleLine = (role: GivenRole, holders: Holders): RightsLine =>
  joined(said(`${role} (may ${ROLE_MEANS[role]}): `), holdersLine(holders))

/** A line for everybody who has a role for a time. */
export const endLines = (ends: GivenRights['ends']): RightsLine[] =>
  ends
    .slice(0, NAMED)
    .map(({ role, userId, endsAt }) =>
      joined(personLine(userId), said(` is ${role} until ${utc(new Date(endsAt))}`)),
    )
