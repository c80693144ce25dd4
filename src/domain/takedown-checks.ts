const NAME = /^Takedown (\S+) \[([0-9a-f]{32})\]$/

/**
 * The name of the health check that watches the page of a threat event. It contains the event's ID without dashes, because a
 * name with a UUID would be parsed as that UUID.
 */
export const takedownCheckName = (site: string, eventId: string): string =>
  `Takedown ${site.replace(/\s+/g, '').slice(0, 60)} [${eventId.replaceAll('-', '')}]`

/** Whether a check watches a page that should go down. Only the people who work on the takedown are notified. */
export const isTakedownCheck = ({ name }: { name: string }): boolean => NAME.test(name)

/** The site of a takedown check, and the buttons that answer whether it is down. Undefined for any other check. */
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

/** A check's target for display. Defangs the page of a takedown, so that it doesn't become a link when it is copied. */
export const displayTarget = ({
  name = '',
  target = '',
}: {
  name?: string | undefined
  target?: string | undefined
}): string => (isTakedownCheck({ name }) ? target.replace(/^http/i, 'hxxp').replaceAll('.', '[.]') : target)
