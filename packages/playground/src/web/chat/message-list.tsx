import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type ContextProp, type ScrollerProps, Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { Message } from '../../protocol/protocol.ts'
import { Button } from '../button.tsx'
import { useDirectory } from '../directory.ts'
import { MessageView } from './message.tsx'
import { continuesPrevious, dayName, startsNewDay, toDate } from './times.ts'

const OVERSCAN = { top: 700, bottom: 300 }
const END_THRESHOLD_PX = 120

interface ListContext {
  label: string
  isAtEnd: boolean
  onInteract: () => void
}

/** The scroll container of the message list. Screen readers announce new messages, except while the person reads older ones. */
function Scroller({ context, children, ...props }: ScrollerProps & ContextProp<ListContext>) {
  return (
    <div
      {...props}
      className="log"
      role="log"
      aria-label={context.label}
      aria-live={context.isAtEnd ? 'polite' : 'off'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      tabIndex={0}
      onPointerDown={context.onInteract}
      onWheel={context.onInteract}
      onTouchMove={context.onInteract}
      onKeyDown={context.onInteract}
    >
      {children}
    </div>
  )
}

/**
 * Scrolls to new messages: to the end, or to the start of a message that is longer than the window. If the person has scrolled up,
 * scrolls only to their own messages and to ephemeral messages.
 */
function useAutoScroll(messages: readonly Message[], me: string) {
  const list = useRef<VirtuosoHandle>(null)
  const lastMessage = messages.at(-1)
  const [isAtEnd, setAtEnd] = useState(true)
  const [hasUnseen, setUnseen] = useState(false)
  /** The list has scrolled to the newest message, and the person hasn't scrolled since. */
  const isFollowing = useRef(true)
  const lastTs = useRef(lastMessage?.ts)
  const scrollToNewest = () => {
    isFollowing.current = true
    setUnseen(false)
    list.current?.scrollToIndex({ index: 'LAST', align: 'start' })
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
  return {
    list,
    isAtEnd,
    hasUnseen: hasUnseen && !isAtEnd,
    scrollToNewest,
    onAtEnd: (atEnd: boolean) => {
      setAtEnd(atEnd)
      if (atEnd) setUnseen(false)
    },
    onInteract: () => {
      isFollowing.current = false
    },
    onResize: () => isFollowing.current && scrollToNewest(),
  }
}

/** A list of messages, oldest first. Renders only those near the viewport. */
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
  const scroll = useAutoScroll(messages, me.id)
  const box = useRef<HTMLDivElement>(null)
  const { onResize } = scroll
  const latestOnResize = useRef(onResize)
  latestOnResize.current = onResize
  useEffect(() => {
    if (!box.current) return
    const observer = new ResizeObserver(() => latestOnResize.current())
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={box} className="log-box">
      <Virtuoso<Message, ListContext>
        ref={scroll.list}
        context={{ label, isAtEnd: scroll.isAtEnd, onInteract: scroll.onInteract }}
        components={{ Scroller }}
        data={messages}
        initialTopMostItemIndex={{ index: 'LAST', align: 'start' }}
        alignToBottom
        atBottomThreshold={END_THRESHOLD_PX}
        atBottomStateChange={scroll.onAtEnd}
        totalListHeightChanged={onResize}
        increaseViewportBy={OVERSCAN}
        computeItemKey={(_, message) => message.ts}
        itemContent={(index, message) => {
          const previous = messages[index - 1]
          const newDay = startsNewDay(message, previous)
          return (
            <>
              {newDay && <p className="day soft">{dayName(toDate(message.ts))}</p>}
              <MessageView
                message={message}
                compact={!newDay && continuesPrevious(message, previous)}
                showReplies={showReplies}
              />
            </>
          )
        }}
      />
      {scroll.hasUnseen && (
        <Button className="button small new-messages" onClick={scroll.scrollToNewest}>
          New messages
        </Button>
      )}
    </div>
  )
})
