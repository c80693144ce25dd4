import { type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'

/** Slack's clients collapse texts of about this length. Slightly longer texts aren't collapsed, because little would be hidden. */
const COLLAPSED_LENGTH = 700
const COLLAPSED_LINES = 12

/** Returns the beginning of a long text, cut at the end of a line or word. Returns undefined if the text is short enough. */
function collapse(text: string): string | undefined {
  const lines = text.split('\n')
  const firstLines = lines.length > COLLAPSED_LINES + 2 ? lines.slice(0, COLLAPSED_LINES).join('\n') : text
  if (firstLines.length <= COLLAPSED_LENGTH + 150)
    return firstLines === text ? undefined : closeCodeBlock(firstLines)
  const cut = firstLines.slice(0, COLLAPSED_LENGTH)
  // Cuts before a `<…>`, not inside it.
  const openBracket = cut.lastIndexOf('<')
  const complete = openBracket > cut.lastIndexOf('>') ? cut.slice(0, openBracket) : cut
  return closeCodeBlock(complete.replace(/\s+\S*$/, '') || complete)
}

/** Closes a code block that was cut. */
function closeCodeBlock(text: string): string {
  return text.split('```').length % 2 === 0 ? `${text}\n\`\`\`\n` : text
}

/** Shows the beginning of a long text, and a button for the rest. */
export function SeeMore({ text, children }: { text: string; children: (shown: string) => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const beginning = collapse(text)
  if (beginning === undefined) return children(text)
  return (
    <>
      {children(isOpen ? text : `${beginning} …`)}
      <Button className="plain-link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'See less' : 'See more'}
      </Button>
    </>
  )
}
