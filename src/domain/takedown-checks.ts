const NAME = /^Takedown \S+ \[[0-9a-f]{8}\]$/

/** The name of the health check that watches what a threat event is about: told from all others by its form. */
export const takedownCheckName = (shown: string, eventId: string): string =>
  `Takedown ${shown.replace(/\s+/g, '').slice(0, 120)} [${eventId.slice(0, 8)}]`

/** Whether a check watches something that is meant to go down: nobody else wants to hear of that as an outage. */
export const isTakedownCheck = ({ name }: { name: string }): boolean => NAME.test(name)

/** Its target for people to read: one that is to be taken down leads nowhere when it is copied. */
export const shownTarget = ({
  name = '',
  target = '',
}: {
  name?: string | undefined
  target?: string | undefined
}): string => (isTakedownCheck({ name }) ? target.replace(/^http/i, 'hxxp').replaceAll('.', '[.]') : target)
