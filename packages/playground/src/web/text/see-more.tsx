import { type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'

/** Slack's clients fold texts of about this length. */
const FOLDED_CHARACTERS = 700
const FOLDED_LINES = 12

/** The beginning of a long text, cut at the end of a line or a word; undefined if it is short enough. */
export function folded(text: string): string | undefined {
  const lines = text.split('\n')
  const byLines = lines.length > FOLDED_LINES + 2 ? lines.slice(0, FOLDED_LINES).join('\n') : text
  if (byLines.length <= FOLDED_CHARACTERS + 150) return byLines === text ? undefined : closed(byLines)
  const cut = byLines.slice(0, FOLDED_CHARACTERS)
  // Never inside `<…>`, because half a link isn't a link.
  const open = cut.lastIndexOf('<')
  const whole = open > cut.lastIndexOf('>') ? cut.slice(0, open) : cut
  return closed(whole.replace(/\s+\S*$/, '') || whole)
}

/** Half of a code block is still code. */
function closed(text: string): string {
  return text.split('```').length % 2 === 0 ? `${text}\n\`\`\`` : text
}

/** A long text folded to its beginning, until someone wants to see more. */
export function SeeMore({ text, children }: { text: string; children: (shown: string) => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const short = folded(text)
  if (short === undefined) return children(text)
  return (
    <>
      {children(isOpen ? text : `${short} …`)}
      <Button look="plain-link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'See less' : 'See more'}
      </Button>
    </>
  )
}
