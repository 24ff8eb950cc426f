import { createContext, type ReactNode, useContext } from "react";

/** Asking before something is destroyed [dashboard.confirm], and for the password where the API wants it again. */

export interface Question<T> {
  title: string;
  /** names what is destroyed, and how much of it */
  destroys: ReactNode;
  /** what the button says, such as `Erase` */
  verb: string;
  /** has to be typed first, where a mistake could not be mended */
  typed?: string;
  /** whether nothing is lost by it; the button is then not red */
  harmless?: boolean;
  run: () => Promise<T>;
}

export interface ConfirmFunctions {
  /** null: it was not confirmed */
  confirm<T>(question: Question<T>): Promise<T | null>;
  /** Repeats what the API refused for want of the password, once it was given; null: it was not. */
  withPassword<T>(run: () => Promise<T>): Promise<T | null>;
}

export const ConfirmContext = createContext<ConfirmFunctions | null>(null);

function useFunctions(): ConfirmFunctions {
  const functions = useContext(ConfirmContext);
  if (functions === null) throw new Error("nobody asks here");
  return functions;
}

export const useConfirm = (): ConfirmFunctions["confirm"] => useFunctions().confirm;
export const usePasswordAgain = (): ConfirmFunctions["withPassword"] => useFunctions().withPassword;
