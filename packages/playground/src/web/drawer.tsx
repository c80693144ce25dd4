import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** The side bar on a small screen: above the conversation, closed with Escape, a press next to it, or a choice. */
export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <Dialog className="drawer" labelledBy="workspace-name" onCancel={onClose} onPressOutside={onClose}>
      <IconButton icon="close" label="Close the side bar" look="button icon drawer-close" onClick={onClose} />
      {children}
    </Dialog>
  )
}
