import { type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react'
import { Icon, type IconName } from '../icon.tsx'
import { useLeave } from './use-leave.ts'

export interface MenuItem {
  key: string
  label: ReactNode
  detail?: ReactNode
  /** Set for an item that opens an address besides. */
  url?: string
  onSelect: () => void
}

function move(list: HTMLElement | null, step: number) {
  const items = [...(list?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  const at = items.findIndex((item) => item.matches(':focus'))
  items.at((at + step + items.length) % items.length)?.focus()
}

function Item({ item, close }: { item: MenuItem; close: () => void }) {
  const select = () => {
    close()
    item.onSelect()
  }
  const content = (
    <>
      {item.label}
      {item.detail && <span className="menu-detail">{item.detail}</span>}
    </>
  )
  if (item.url !== undefined) {
    return (
      <a
        role="menuitem"
        tabIndex={-1}
        href={item.url}
        target="_blank"
        rel="noopener noreferrer"
        onClick={select}
      >
        {content}
      </a>
    )
  }
  return (
    <button type="button" role="menuitem" tabIndex={-1} onClick={select}>
      {content}
    </button>
  )
}

/** A button that opens a menu: arrow keys move, Escape and a press elsewhere close, the focus goes back. */
export function Menu({
  label,
  icon,
  items,
  className = '',
}: {
  label: string
  icon: IconName
  items: readonly MenuItem[]
  className?: string
}) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(false)
    trigger.current?.focus()
  }
  useLeave(
    root,
    open,
    useCallback(() => setOpen(false), []),
  )
  useEffect(() => {
    if (!open) return
    move(list.current, 1)
    list.current?.scrollIntoView({ block: 'nearest' })
  }, [open])
  return (
    <div ref={root} className={`menu-root ${open ? 'open' : ''} ${className}`}>
      <button
        ref={trigger}
        type="button"
        className="button icon"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} />
      </button>
      {open && (
        <div
          ref={list}
          id={id}
          className="menu"
          role="menu"
          aria-label={label}
          tabIndex={-1}
          onKeyDown={(event) => {
            const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
            const step = steps[event.key]
            if (step !== undefined) move(list.current, step)
            else if (event.key === 'Escape') close()
            else return
            event.preventDefault()
            event.stopPropagation()
          }}
        >
          {items.map((item) => (
            <Item key={item.key} item={item} close={close} />
          ))}
        </div>
      )}
    </div>
  )
}
