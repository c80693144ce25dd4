import { personName, useDirectory } from '../directory.ts'

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== '')
  return words.length > 1
    ? `${words[0]?.[0] ?? ''}${words.at(-1)?.[0] ?? ''}`.toUpperCase()
    : name.slice(0, 2).toUpperCase()
}

const COLORS = ['#8a4b2d', '#2f6690', '#6a4c93', '#2d6a4f', '#9b2f5b', '#5b5f1d', '#1d5f73', '#7a3e9d']

/** Chooses a color by hashing the person's ID, so that each person always has the same one. */
function chooseColor(id: string): string | undefined {
  let hash = 7
  for (const char of id) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % COLORS.length
  return COLORS[hash]
}

export function useAuthorName(user: string): string {
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
  const name = useAuthorName(user)
  const classes = ['avatar', app && 'app', small && 'small'].filter(Boolean)
  return (
    <span
      className={classes.join(' ')}
      style={app ? undefined : { backgroundColor: chooseColor(user) }}
      aria-hidden="true"
    >
      {initials(name)}
    </span>
  )
}
