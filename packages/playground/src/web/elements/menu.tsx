import { type ReactNode, useRef, useState } from 'react'
import { MenuItem as Item, Menu as List, Popover } from 'react-aria-components'
import { Button } from '../button.tsx'
import { Icon, type IconName } from '../icon.tsx'

export interface MenuItem {
  key: string
  label: ReactNode
  detail?: ReactNode
  onSelect: () => void
}

/** A button that opens a menu. The menu is rendered only while it is open, because every message has a menu. */
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
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <Button
        ref={button}
        className={`button icon ${className}`}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={label}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setOpen(true)
        }}
      >
        <Icon name={icon} />
      </Button>
      {isOpen && (
        <Popover
          aria-label={label}
          className="menu"
          placement="bottom end"
          offset={4}
          triggerRef={button}
          isOpen
          onOpenChange={setOpen}
          trigger="MenuTrigger"
        >
          <List aria-label={label} className="menu-list" autoFocus="first" onClose={() => setOpen(false)}>
            {items.map(({ key, label: text, detail, onSelect }) => (
              <Item
                key={key}
                id={key}
                className="menu-item"
                onAction={onSelect}
                {...(typeof text === 'string' && { textValue: text })}
              >
                {text}
                {detail && <span className="menu-detail">{detail}</span>}
              </Item>
            ))}
          </List>
        </Popover>
      )}
    </>
  )
}
