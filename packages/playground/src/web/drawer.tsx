import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'

/** The side bar of a small screen: over the conversation, and away again with Escape, a press beside it, or a choice. */
export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <Dialog className="drawer" labelledBy="workspace-name" onCancel={onClose} onPressOutside={onClose}>
      <button
        type="button"
        className="button icon drawer-close"
        aria-label="Close the side bar"
        onClick={onClose}
      >
        <Icon name="close" />
      </button>
      {children}
    </Dialog>
  )
}
