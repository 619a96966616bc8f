// The dialog for entering a token, for servers with access control.

import { useEffect, useId, useRef } from "preact/hooks";
import { announce } from "./parts";
import { keepToken, token } from "./token";

export function TokenDialog({ open, close, changed }: { open: boolean; close: () => void; changed: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  const use = (event: Event) => {
    event.preventDefault();
    keep(field.current?.value.trim() ?? "");
  };
  const keep = (value: string) => {
    keepToken(value);
    if (field.current !== null) field.current.value = "";
    announce(value === "" ? "The token was removed" : "The token was saved");
    close();
    changed();
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby={`${id}-title`}>
      <form onSubmit={use}>
        <h2 id={`${id}-title`}>API token</h2>
        <p class="note">
          The page sends it only to this server. It is kept until this tab is closed, and is never part of an address. <code>foveate
          key create --scope read</code> creates one.
        </p>
        <div class="field">
          <label for={id}>Token</label>
          <input id={id} ref={field} type="password" required autocomplete="off" spellcheck={false} />
        </div>
        <div class="submit">
          <button type="submit" class="primary">
            Use it
          </button>
          {token() !== "" && (
            <button type="button" onClick={() => keep("")}>
              Forget the token
            </button>
          )}
          <button type="button" class="quiet" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
