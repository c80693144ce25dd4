import type { ReactNode } from 'react'
import { Button, MenuItem as Item, Menu as List, MenuTrigger, Popover } from 'react-aria-components'
import { Icon, type IconName } from '../icon.tsx'

export interface MenuItem {
  key: string
  label: ReactNode
  detail?: ReactNode
  /** Set for an item that opens an address besides. */
  url?: string
  onSelect: () => void
}

/** A button that opens a menu. */
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
  return (
    <MenuTrigger>
      <Button className={`button icon ${className}`} aria-label={label}>
        <Icon name={icon} />
      </Button>
      <Popover className="menu" placement="bottom end" offset={4}>
        <List aria-label={label} className="menu-list">
          {items.map(({ key, label: text, detail, url, onSelect }) => (
            <Item
              key={key}
              id={key}
              className="menu-item"
              onAction={onSelect}
              {...(typeof text === 'string' && { textValue: text })}
              {...(url !== undefined && { href: url, target: '_blank', rel: 'noopener noreferrer' })}
            >
              {text}
              {detail && <span className="menu-detail">{detail}</span>}
            </Item>
          ))}
        </List>
      </Popover>
    </MenuTrigger>
  )
}
