import { personName, useDirectory } from '../directory.ts'

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== '')
  return words.length > 1
    ? `${words[0]?.[0] ?? ''}${words.at(-1)?.[0] ?? ''}`.toUpperCase()
    : name.slice(0, 2).toUpperCase()
}

/** Always the same colour for the same person. */
function hue(id: string): number {
  return [...id].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 8, 7)
}

export function useAuthor(user: string): string {
  const directory = useDirectory()
  return personName(directory, user) ?? (user === 'USLACKBOT' ? 'Slackbot' : user)
}

export function Avatar({
  user,
  app = false,
  small = false,
}: {
  user: string
  app?: boolean
  small?: boolean
}) {
  const name = useAuthor(user)
  const classes = ['avatar', `hue-${hue(user)}`, app && 'app', small && 'small'].filter(Boolean)
  return (
    <span className={classes.join(' ')} aria-hidden="true">
      {initials(name)}
    </span>
  )
}
