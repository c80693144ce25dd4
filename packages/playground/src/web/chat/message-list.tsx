import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Message } from '../../protocol/protocol.ts'
import { Button } from '../button.tsx'
import { useDirectory } from '../directory.ts'
import { MessageView } from './message.tsx'
import { continuesPrevious, dayName, startsNewDay, toDate } from './times.ts'

const END_THRESHOLD_PX = 120

/**
 * Scrolls to new messages: to the end, or to the start of a message that is longer than the window. If the person has scrolled up,
 * scrolls only to their own messages and to ephemeral messages.
 */
function useAutoScroll(messages: readonly Message[], me: string) {
  const log = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const lastMessage = messages.at(-1)
  const [isAtEnd, setAtEnd] = useState(true)
  const [hasUnseen, setUnseen] = useState(false)
  /** The list has scrolled to the newest message, and the person hasn't scrolled since. */
  const isFollowing = useRef(true)
  const lastTs = useRef(lastMessage?.ts)
  const scrollToNewest = () => {
    isFollowing.current = true
    setUnseen(false)
    const newest = content.current?.lastElementChild
    if (newest instanceof HTMLElement) log.current?.scrollTo({ top: newest.offsetTop })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new or changed last message scrolls the log
  useLayoutEffect(() => {
    if (!lastMessage) return
    const isNew = lastTs.current !== lastMessage.ts
    lastTs.current = lastMessage.ts
    const isOwnOrEphemeral = lastMessage.user === me || lastMessage.ephemeral
    if (isFollowing.current || (isNew && (isAtEnd || isOwnOrEphemeral))) scrollToNewest()
    else if (isNew) setUnseen(true)
  }, [lastMessage])
  const follow = useRef(scrollToNewest)
  follow.current = scrollToNewest
  useEffect(() => {
    const observer = new ResizeObserver(() => isFollowing.current && follow.current())
    for (const box of [log.current, content.current]) if (box) observer.observe(box)
    return () => observer.disconnect()
  }, [])
  const stopFollowing = () => {
    isFollowing.current = false
  }
  return {
    content,
    isAtEnd,
    hasUnseen: hasUnseen && !isAtEnd,
    scrollToNewest,
    logProps: {
      ref: log,
      onPointerDown: stopFollowing,
      onWheel: stopFollowing,
      onTouchMove: stopFollowing,
      onKeyDown: stopFollowing,
      onScroll: ({
        currentTarget: { scrollHeight, scrollTop, clientHeight },
      }: {
        currentTarget: Element
      }) => {
        const atEnd = scrollHeight - scrollTop - clientHeight < END_THRESHOLD_PX
        setAtEnd(atEnd)
        if (atEnd) setUnseen(false)
      },
    },
  }
}

/** A list of messages, oldest first. Screen readers announce new messages, except while the person reads older ones. */
export const MessageList = memo(function MessageList({
  messages,
  label,
  showReplies,
}: {
  messages: readonly Message[]
  label: string
  showReplies: boolean
}) {
  const { me } = useDirectory()
  const { content, isAtEnd, hasUnseen, scrollToNewest, logProps } = useAutoScroll(messages, me.id)
  return (
    <div className="log-box">
      <div
        {...logProps}
        className="log"
        role="log"
        aria-label={label}
        aria-live={isAtEnd ? 'polite' : 'off'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
      >
        <div ref={content} className="log-content">
          {messages.map((message, index) => {
            const previous = messages[index - 1]
            const newDay = startsNewDay(message, previous)
            return (
              <div key={message.ts}>
                {newDay && <p className="day soft">{dayName(toDate(message.ts))}</p>}
                <MessageView
                  message={message}
                  compact={!newDay && continuesPrevious(message, previous)}
                  showReplies={showReplies}
                />
              </div>
            )
          })}
        </div>
      </div>
      {hasUnseen && (
        <Button className="button small new-messages" onClick={scrollToNewest}>
          New messages
        </Button>
      )}
    </div>
  )
})
