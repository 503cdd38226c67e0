// What makes the pages pleasant; all of them work without it.

// The error summary, or whatever asks for it, takes the focus.
document.querySelector("[data-focus]")?.focus();

// A value to copy gets a button that does.
for (const input of document.querySelectorAll("input[data-copy]")) {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "second";
	button.textContent = "Copy";
	button.addEventListener("click", async () => {
		input.select();
		try {
			await navigator.clipboard.writeText(input.value);
			button.textContent = "Copied";
		} catch {
			button.textContent = "Press Ctrl+C";
		}
	});
	input.after(button);
}

// A page that prints well says so.
for (const button of document.querySelectorAll("button[data-print]")) {
	button.hidden = false;
	button.addEventListener("click", () => window.print());
}

// The code of a link stands behind the # of the address, where no server sees
// it; it moves into its box and out of the browser's history.
const fragment = document.querySelector("input[data-fragment]");
if (fragment && location.hash.length > 1) {
	fragment.value = location.hash.slice(1);
	history.replaceState(null, "", location.pathname);
}

// A password can be looked at while it is typed.
for (const input of document.querySelectorAll("input[data-show]")) {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "second";
	button.textContent = "Show";
	button.setAttribute("aria-pressed", "false");
	button.addEventListener("click", () => {
		const shown = input.type === "text";
		input.type = shown ? "password" : "text";
		button.setAttribute("aria-pressed", String(!shown));
	});
	input.after(button);
	input.form.addEventListener("submit", () => { input.type = "password"; });
}

// While a value differs from what the EHR says, its tag gives way to the button
// that brings it back.
for (const field of document.querySelectorAll("[data-ehr]")) {
	const [tag, offer] = field.querySelectorAll("[id$='-source'] > p");
	const look = () => {
		const boxes = [...field.querySelectorAll("input, select")].filter((b) => b.checked || !/radio|checkbox/.test(b.type));
		const said = boxes.map((b) => b.value.trim()).filter(Boolean).sort().join(" ");
		tag.hidden = said !== field.dataset.ehr;
		offer.hidden = !tag.hidden;
	};
	field.addEventListener("input", look);
	field.addEventListener("change", look);
}

// A form is sent once, however often its button is pressed, unless its answer
// is a file and the page stays.
for (const form of document.querySelectorAll("form[method=post]:not([data-again])")) {
	form.addEventListener("submit", (event) => {
		if (form.dataset.sent) event.preventDefault();
		form.dataset.sent = "yes";
	});
}
addEventListener("pageshow", () => {
	for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// An import under way tells how far it is, aloud at every tenth.
const under = document.querySelector("[data-progress]");
if (under) {
	let said = -1;
	const look = async () => {
		try {
			const answer = await fetch(under.dataset.progress);
			const at = await answer.json();
			under.querySelector("progress").value = at.percent;
			const tenth = Math.floor(at.percent / 10);
			if (tenth !== said) under.querySelector("[role=status]").textContent = at.text;
			said = tenth;
			if (at.done) return location.reload();
		} catch {
			// The service may be restarting: it is asked again.
		}
		setTimeout(look, 1000);
	};
	setTimeout(look, 500);
}
