const NAME = /^Takedown (\S+) \[([0-9a-f]{32})\]$/

/**
 * The name of the health check that watches the page of a threat event. Its form tells it from all others, and names the event: without
 * dashes, since a name with a UUID would be taken for that UUID where it is typed.
 */
export const takedownCheckName = (shown: string, eventId: string): string =>
  `Takedown ${shown.replace(/\s+/g, '').slice(0, 60)} [${eventId.replaceAll('-', '')}]`

/** Whether a check watches something that is meant to go down: nobody else wants to hear of that as an outage. */
export const isTakedownCheck = ({ name }: { name: string }): boolean => NAME.test(name)

/** What a takedown check watches, and how people answer whether that is down. Undefined for any other check. */
export function takedownQuestion({ name }: { name: string }) {
  const [, site, eventId] = NAME.exec(name) ?? []
  if (site === undefined || eventId === undefined) return undefined
  return {
    site,
    answers: [
      { label: 'It’s down', line: `/threat down ${eventId}` },
      { label: 'Still up', line: `/threat up ${eventId}` },
    ],
    showCase: { label: `Is ${site} down?`, line: `/threat case ${eventId}` },
  }
}

/** Its target for people to read: one that is to be taken down leads nowhere when it is copied. */
export const shownTarget = ({
  name = '',
  target = '',
}: {
  name?: string | undefined
  target?: string | undefined
}): string => (isTakedownCheck({ name }) ? target.replace(/^http/i, 'hxxp').replaceAll('.', '[.]') : target)
