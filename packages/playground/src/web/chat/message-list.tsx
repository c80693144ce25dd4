import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type ContextProp, type ScrollerProps, Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { Message } from '../../protocol.ts'
import { Button } from '../button.tsx'
import { useDirectory } from '../directory.ts'
import { MessageView } from './message.tsx'
import { continues, dayName, startsDay, toDate } from './when.ts'

/** The list numbers its items from here, so that older ones can be inserted before them. */
const FIRST_INDEX = 1_000_000
const OVERSCAN = { top: 700, bottom: 300 }
const NEAR_PX = 120

interface Context {
  label: string
  isAtEnd: boolean
  onTouch: () => void
}

/** What scrolls: a log that screen readers announce as it grows, except while someone reads older messages. */
function Scroller({ context, children, ...props }: ScrollerProps & ContextProp<Context>) {
  return (
    <div
      {...props}
      className="log"
      role="log"
      aria-label={context.label}
      aria-live={context.isAtEnd ? 'polite' : 'off'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onPointerDown={context.onTouch}
      onWheel={context.onTouch}
      onTouchMove={context.onTouch}
      onKeyDown={context.onTouch}
    >
      {children}
    </div>
  )
}

/** Older messages are inserted before the first one, which keeps its number. */
function useFirstIndex(messages: readonly Message[]): number {
  const [anchor, setAnchor] = useState(messages[0]?.ts)
  if (anchor === undefined && messages[0]) setAnchor(messages[0].ts)
  const older = anchor === undefined ? 0 : messages.findIndex(({ ts }) => Number(ts) >= Number(anchor))
  return FIRST_INDEX - Math.max(0, older)
}

/**
 * Scrolls to the newest message when it arrives: to its end, or to its start if it is longer than the window. A reader who has
 * scrolled up stays there, except for their own messages and those that only they see.
 */
function useFollow(messages: readonly Message[], me: string) {
  const list = useRef<VirtuosoHandle>(null)
  const last = messages.at(-1)
  const [isAtEnd, setAtEnd] = useState(true)
  const [missed, setMissed] = useState(false)
  /** The newest message is shown where it was placed, and the reader hasn't scrolled since. */
  const isPlaced = useRef(true)
  const shown = useRef(last?.ts)
  const place = () => {
    isPlaced.current = true
    setMissed(false)
    list.current?.scrollToIndex({ index: 'LAST', align: 'start' })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new or changed last message is what moves the log
  useLayoutEffect(() => {
    if (!last) return
    const isNew = shown.current !== last.ts
    shown.current = last.ts
    const concerns = last.user === me || last.ephemeral
    if (isNew ? isPlaced.current || isAtEnd || concerns : isPlaced.current) place()
    else if (isNew) setMissed(true)
  }, [last])
  return {
    list,
    isAtEnd,
    missed: missed && !isAtEnd,
    place,
    onAtEnd: (atEnd: boolean) => {
      setAtEnd(atEnd)
      if (atEnd) setMissed(false)
    },
    onTouch: () => {
      isPlaced.current = false
    },
    onResize: () => isPlaced.current && place(),
  }
}

/** Messages, oldest first; only those near the window are rendered. `onOlder` is called at the first loaded one. */
export const MessageList = memo(function MessageList({
  messages,
  label,
  threads,
  onOlder,
}: {
  messages: readonly Message[]
  label: string
  threads: boolean
  onOlder?: (() => void) | undefined
}) {
  const { me } = useDirectory()
  const follow = useFollow(messages, me.id)
  const firstItemIndex = useFirstIndex(messages)
  const box = useRef<HTMLDivElement>(null)
  const { onResize } = follow
  const resized = useRef(onResize)
  resized.current = onResize
  useEffect(() => {
    if (!box.current) return
    const watched = new ResizeObserver(() => resized.current())
    watched.observe(box.current)
    return () => watched.disconnect()
  }, [])
  return (
    <div ref={box} className="log-box">
      <Virtuoso<Message, Context>
        ref={follow.list}
        context={{ label, isAtEnd: follow.isAtEnd, onTouch: follow.onTouch }}
        components={{ Scroller }}
        data={messages}
        firstItemIndex={firstItemIndex}
        initialTopMostItemIndex={{ index: 'LAST', align: 'start' }}
        alignToBottom
        atBottomThreshold={NEAR_PX}
        atBottomStateChange={follow.onAtEnd}
        totalListHeightChanged={onResize}
        increaseViewportBy={OVERSCAN}
        startReached={() => onOlder?.()}
        computeItemKey={(_, message) => message.ts}
        itemContent={(index, message) => {
          const previous = messages[index - firstItemIndex - 1]
          const newDay = startsDay(message, previous)
          return (
            <>
              {newDay && <p className="day soft">{dayName(toDate(message.ts))}</p>}
              <MessageView
                message={message}
                compact={!newDay && continues(message, previous)}
                threads={threads}
              />
            </>
          )
        }}
      />
      {follow.missed && (
        <Button look="button small newer" onClick={follow.place}>
          New messages
        </Button>
      )}
    </div>
  )
})
