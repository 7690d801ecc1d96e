/** Blocks everybody who wants to pass until it is opened, and never again after that. */
export class Door {
  reached = false;
  open: () => void;
  private readonly opened: Promise<void>;

  constructor() {
    let open: () => void = () => undefined;
    this.opened = new Promise((resolve) => {
      open = resolve;
    });
    this.open = open;
  }

  readonly pass = (): Promise<void> => {
    this.reached = true;
    return this.opened;
  };
}
